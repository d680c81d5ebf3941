internal import PushCodec
internal import PushModel

/// A rule that the codec broke.
struct ProbeFault: Error {
  let what: String

  init(_ what: String) { self.what = what }

  /// Throws when bytes are not one JSON text in UTF-8.
  @discardableResult
  static func checkJSON(_ bytes: [UInt8], _ name: String) throws(ProbeFault) -> JSONScanner {
    var scanner = JSONScanner(maximumDepth: 10_000, maximumDigits: Int.max)
    do throws(JSONFault) {
      try scanner.scan(bytes.span)
    } catch {
      throw ProbeFault("\(name) is not JSON: \(error.detail)")
    }
    if scanner.hasInvalidUTF8 { throw ProbeFault("\(name) is not UTF-8") }
    return scanner
  }
}

/// What holds for every request, whatever the event.
enum RequestCheck {
  static func check(_ request: PushRequest, _ notes: BuildNotes) throws(ProbeFault) {
    let scanner = try ProbeFault.checkJSON(request.body, "body")
    if scanner.brokenStrings > 0 { throw ProbeFault("body with broken Unicode") }
    if notes.bytes > notes.limit { throw ProbeFault("\(notes.bytes) bytes of \(notes.limit)") }
    if request.provider == .apns { try checkAPNs(request) }
  }

  private static func checkAPNs(_ request: PushRequest) throws(ProbeFault) {
    if request.body.count > request.pushType.maximumBodyBytes {
      throw ProbeFault("body of \(request.body.count) bytes")
    }
    if request.apnsID.count != 36 { throw ProbeFault("apns-id of \(request.apnsID.count) bytes") }
    if request.collapseID.count > 64 { throw ProbeFault("collapse id over 64 bytes") }
    if request.deviceToken.isEmpty { throw ProbeFault("no device token") }
    for header in [request.topic, request.collapseID, request.deviceToken]
      + request.extraHeaders.flatMap({ [$0.name, $0.value] })
    where header.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
      throw ProbeFault("control character in a header")
    }
    if !request.topic.reversed().starts(with: request.pushType.topicSuffix.utf8.reversed()) {
      throw ProbeFault("topic does not end with \(request.pushType.topicSuffix)")
    }
  }
}
