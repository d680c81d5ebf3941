internal import COpenSSL

/// Turns the bytes of a key file into an EVP_PKEY, or into a refusal that shows none of them.
enum KeyReader {
  static func read(_ file: [UInt8], password: [UInt8]?) throws(CryptoError) -> OpaquePointer {
    let file = withoutMark(file)
    let blocks = PEM.blocks(in: file)
    guard let key = blocks.first(where: { $0.label.ends(with: "PRIVATE KEY") }) else {
      guard blocks.isEmpty, let raw = unsafe readBare(file) else {
        throw CryptoError(.notAKey, missing(blocks))
      }
      return unsafe raw
    }
    let isEncrypted = key.label.starts(with: "ENCRYPTED".utf8) || key.hasHeaders
    if isEncrypted, password == nil {
      throw CryptoError(.encrypted, "the private key is encrypted and no password is set")
    }
    return unsafe try parse(PEM.write(key), password: isEncrypted ? password : nil)
  }

  private static func parse(
    _ pem: [UInt8], password: [UInt8]?
  ) throws(CryptoError) -> OpaquePointer {
    ErrorQueue.clear()
    let input = MemoryBIO(pem)
    let raw: OpaquePointer?
    if let password {
      // A NUL would end it early, and OpenSSL would try a shorter one.
      let ended = password.prefix { $0 != 0 } + [0]
      unsafe raw = ended.withUnsafeBytes { bytes in
        unsafe PEM_read_bio_PrivateKey(
          input.raw, nil, nil, UnsafeMutableRawPointer(mutating: bytes.baseAddress))
      }
    } else {
      unsafe raw = PEM_read_bio_PrivateKey(input.raw, nil, cssl_no_prompt, nil)
    }
    if let raw = unsafe raw { return unsafe raw }
    let why = ErrorQueue.take()
    if password != nil { throw CryptoError(.wrongPassword, "the key does not open: \(why)") }
    throw CryptoError(.notAKey, "the private key is damaged: \(why)")
  }

  /// DER, or base64 without armour.
  private static func readBare(_ file: [UInt8]) -> OpaquePointer? {
    let isDER = file.first == 0x30
    guard let der = isDER ? file : Base64.decode(file.filter { $0 > 0x20 }) else { return nil }
    defer { ErrorQueue.clear() }
    return unsafe der.withUnsafeBufferPointer { der in
      var at = der.baseAddress
      return unsafe d2i_AutoPrivateKey(nil, &at, der.count)
    }
  }

  /// Without the byte order mark that some editors put in front.
  private static func withoutMark(_ file: [UInt8]) -> [UInt8] {
    file.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(file.dropFirst(3)) : file
  }

  private static func missing(_ blocks: [PEM.Block]) -> String {
    guard let first = blocks.first else {
      return "no private key found: a PEM file begins with -----BEGIN PRIVATE KEY-----"
    }
    return "no private key found, only \(String(decoding: first.label, as: UTF8.self))"
  }
}

extension [UInt8] {
  func ends(with text: String) -> Bool { suffix(text.utf8.count).elementsEqual(text.utf8) }
}
