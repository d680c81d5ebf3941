internal import COpenSSL

extension Certificate {
  /// The topics that Apple lists in the certificate, which are all that it may push to (apns.md 4);
  /// empty when it lists none.
  package var pushTopics: [String] {
    Self.topicExtensions.flatMap { DERTexts.texts(in: bytes(ofExtension: $0)) }
  }

  private static let topicExtensions = [
    "1.2.840.113635.100.6.3.6", "1.2.840.113635.100.6.3.4",
  ]

  private func bytes(ofExtension name: String) -> [UInt8] {
    guard let object = unsafe OBJ_txt2obj(name, 1) else { return [] }
    defer { unsafe ASN1_OBJECT_free(object) }
    let at = unsafe X509_get_ext_by_OBJ(raw, object, -1)
    guard at >= 0, let value = unsafe X509_EXTENSION_get_data(X509_get_ext(raw, at)),
      let start = unsafe ASN1_STRING_get0_data(value)
    else { return [] }
    let count = unsafe Int(ASN1_STRING_length(value))
    return unsafe Array(UnsafeBufferPointer(start: start, count: count))
  }
}

/// Apple's list of topics: a sequence in which a text, the topic, and a sequence, the kinds of app
/// that it is for, take turns.
enum DERTexts {
  private static let sequence: UInt8 = 0x30
  private static let utf8Text: UInt8 = 0x0C

  /// The texts that stand in the outermost sequence itself; none when the bytes are malformed.
  static func texts(in bytes: [UInt8]) -> [String] {
    guard let outer = element(in: bytes[...]), outer.tag == sequence else { return [] }
    var texts: [String] = []
    var rest = outer.content
    while !rest.isEmpty {
      guard let next = element(in: rest) else { return [] }
      if next.tag == utf8Text { texts.append(String(decoding: next.content, as: UTF8.self)) }
      rest = rest[next.content.endIndex...]
    }
    return texts
  }

  /// The same list, each topic for an app.
  static func sequence(of topics: [String]) -> [UInt8] {
    let app = element(sequence, element(utf8Text, Array("app".utf8)))
    return element(sequence, topics.flatMap { element(utf8Text, Array($0.utf8)) + app })
  }

  private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    let count = content.count
    return [tag] + (count < 0x80 ? [UInt8(count)] : [0x82, UInt8(count >> 8), UInt8(count & 0xFF)])
      + content
  }

  private static func element(
    in bytes: ArraySlice<UInt8>
  ) -> (tag: UInt8, content: ArraySlice<UInt8>)? {
    guard bytes.count >= 2 else { return nil }
    let first = Int(bytes[bytes.startIndex + 1])
    var (start, length) = (bytes.startIndex + 2, first)
    if first >= 0x80 {
      // The long form: so many bytes of length; more than three would be 16 MB of topics.
      let digits = bytes.dropFirst(2).prefix(first & 0x7F)
      guard (1...3).contains(first & 0x7F), digits.count == first & 0x7F else { return nil }
      length = digits.reduce(0) { $0 << 8 | Int($1) }
      start = digits.endIndex
    }
    guard bytes.endIndex - start >= length else { return nil }
    return (bytes[bytes.startIndex], bytes[start..<start + length])
  }
}
