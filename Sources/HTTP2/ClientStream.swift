/// One request under way. A session keeps those that ended and uses them again.
final class ClientStream {
  var id: Int32 = 0
  var request: PoolRequest?
  var bodySent = 0
  var response = HTTP2Response(status: 0)
  var deadline: Int64 = 0
  /// Where it stands among the session's open streams, then among its abandoned ones.
  var place = 0
  /// Its outcome is known, though its connection may not have taken it yet.
  var isFinished = false
  /// nghttp2 will not name it again.
  var isReleased = false
  /// Handed on before nghttp2 has let go of it.
  var isAbandoned = false
  /// Whether its HEADERS left.
  var wasSent = false
  /// RFC 9113's error code it ended with.
  var code: UInt32 = 0
  /// Why it ended, when the peer did not say.
  var trouble: RequestTrouble?

  func begin(_ request: consuming PoolRequest, deadline: Int64) {
    self.request = request
    self.deadline = deadline
    bodySent = 0
    isFinished = false
    isReleased = false
    trouble = nil
  }

  /// What was answered, which it forgets.
  func takeResponse() -> HTTP2Response {
    var taken = HTTP2Response(status: 0)
    swap(&taken, &response)
    return taken
  }

  var isBodySent: Bool { bodySent == request?.body.count }

  /// Copies the next piece of the body; nil when there is no request any more.
  func copyBody(to buffer: UnsafeMutablePointer<UInt8>, room: Int) -> Int? {
    // Taken out meanwhile: to read it where it is would count one more owner.
    guard let request = request.take() else { return nil }
    let count = unsafe Self.copy(lent: &request.body, from: bodySent, to: buffer, room)
    bodySent += count
    self.request = consume request
    return count
  }

  private static func copy(
    lent body: inout [UInt8], from start: Int, to buffer: UnsafeMutablePointer<UInt8>, _ room: Int
  ) -> Int {
    unsafe body.withUnsafeBufferPointer { body in
      let count = min(room, body.count - start)
      guard let first = body.baseAddress else { return count }
      unsafe buffer.update(from: first + start, count: count)
      return count
    }
  }
}
