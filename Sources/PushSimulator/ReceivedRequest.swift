import HTTP2
import PushCodec
import PushCrypto

/// One request with what became of it, as the record shows it.
struct ReceivedRequest {
  let number: Int64
  /// UNIX microseconds of the machine when the request was read.
  let time: Int64
  let provider: ProviderName
  let side: String
  let connection: Int
  let stream: ServerStream
  let reply: Reply?
  let action: Rule.Action?
  /// Milliseconds the answer waits.
  let delay: Int64

  func line(scanner: inout JSONScanner) -> [UInt8] {
    var out = JSONLine()
    out.open()
    out.add("n", number)
    out.add("time", time)
    out.add("provider", provider.rawValue)
    if provider == .apns { out.add("environment", side) }
    out.add("connection", connection)
    out.add("stream", Int64(stream.id))
    addHeaders(to: &out)
    addBody(to: &out, scanner: &scanner)
    addAnswer(to: &out)
    out.close()
    return out.bytes
  }

  /// A field that came twice stands twice: a JSON object may hold it, and a reader sees the last.
  private func addHeaders(to out: inout JSONLine) {
    out.open("headers")
    for field in stream.fields { out.add(name: stream.text[field.name], stream.text[field.value]) }
    out.close()
  }

  /// JSON stands as it came, digit for digit; anything else as base64.
  private func addBody(to out: inout JSONLine, scanner: inout JSONScanner) {
    out.add("bodyBytes", stream.bodyBytes)
    if stream.bodyBytes == 0 { return }
    let isJSON = JSONText(stream.body, scanner: &scanner) != nil && !scanner.hasInvalidUTF8
    if isJSON {
      out.add("body", json: stream.body.map { $0 == UInt8(ascii: "\n") ? UInt8(ascii: " ") : $0 })
    } else {
      out.add("bodyBase64", Base64.encode(stream.body))
    }
  }

  private func addAnswer(to out: inout JSONLine) {
    out.open("answer")
    if let reply {
      out.add("status", reply.status)
      if !reply.reason.isEmpty { out.add("reason", reply.reason) }
      if let retryAfter = reply.retryAfter { out.add("retryAfter", retryAfter) }
    }
    if let action { out.add("action", action.rawValue) }
    if delay > 0 { out.add("delayMs", delay) }
    out.close()
  }
}
