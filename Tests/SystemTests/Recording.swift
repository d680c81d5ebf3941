internal import Glibc

/// One request that a simulator got, and what it answered.
struct RecordedRequest {
  let provider: String
  /// The APNs device token; FCM's token, fid, topic or condition.
  let target: String
  /// 0 when there was no answer.
  let status: Int64
  let reason: String
  let headers: JSONView
  /// As sent; nil when it was no JSON in UTF-8.
  let body: JSONView?
  let bodyBytes: Int64
  /// Each connection of a provider has a number.
  let connection: Int64
  let line: String

  init?(_ line: String) {
    guard let view = JSONView(line.utf8), let headers = view["headers"],
      let provider = view["provider"]?.string
    else { return nil }
    self.line = line
    self.provider = provider
    self.headers = headers
    body = view["body"]
    bodyBytes = view["bodyBytes"]?.integer ?? 0
    connection = view["connection"]?.integer ?? 0
    status = view["answer", "status"]?.integer ?? 0
    reason = view["answer", "reason"]?.string ?? ""
    let message = body?["message"]
    let path = headers[":path"]?.string ?? ""
    target =
      provider == "apns"
      ? String(path.dropFirst("/3/device/".count))
      : ["token", "fid", "topic", "condition"].lazy.compactMap { message?[$0]?.string }.first ?? ""
  }

  /// A header field's value.
  func header(_ name: String) -> String? { headers[name]?.string }
}

/// What a simulator has recorded so far, read as it grows.
struct Recording {
  let path: String
  private var offset = 0
  private(set) var requests: [RecordedRequest] = []

  init(path: String) { self.path = path }

  /// Reads what has come since the last time.
  mutating func refresh() {
    guard let file = unsafe fopen(path, "r") else { return }
    defer { unsafe fclose(file) }
    unsafe fseek(file, offset, SEEK_SET)
    var new: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65_536)
    while case let count = unsafe fread(&part, 1, part.count, file), count > 0 {
      new += part[..<count]
    }
    // The last line may be half written.
    guard let end = new.lastIndex(of: UInt8(ascii: "\n")) else { return }
    offset += end + 1
    for line in new[..<end].split(separator: UInt8(ascii: "\n")) {
      if let request = RecordedRequest(String(decoding: line, as: UTF8.self)) {
        requests.append(request)
      }
    }
  }
}
