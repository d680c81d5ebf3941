internal import PushAdmin
internal import PushWorker

/// Why a call of the JSON API was not done.
struct AdminFailure: Error {
  let status: UInt32
  let message: String

  init(_ status: UInt32, _ message: String) {
    self.status = status
    self.message = message
  }

  init(_ error: QueueError) {
    self.init(error.code == .unreachable ? 503 : 500, "redis: \(error.detail)")
  }

  var reply: AdminReply {
    .json(JSONValue.object([("error", .text(message))]).encoded, status: status)
  }
}
