/// One request under way. A session keeps those that ended and uses them again.
final class ClientStream {
  var id: Int32 = 0
  /// Nil once its outcome is known; nghttp2 may still name the stream for a while.
  var request: PoolRequest?
  var bodySent = 0
  var response = HTTP2Response(status: 0)
  var deadline: Int64 = 0
  /// Where it stands among the session's open streams.
  var place = 0

  func begin(_ request: PoolRequest, deadline: Int64) {
    self.request = request
    self.deadline = deadline
    bodySent = 0
    response = HTTP2Response(status: 0)
  }
}
