package import PushWorker
package import RedisClient

extension QueueError {
  /// What an error of Redis means to the worker (QUEUE.md 12).
  package init(_ error: RedisError) {
    let code: Code =
      switch error.code {
      case .unreachable, .timeout, .closed, .notRESP: .unreachable
      case .cancelled: .cancelled
      case .readOnly, .unblocked, .masterDown, .loading, .outOfMemory, .noReplicas, .misconfigured,
        .busy, .moved, .ask, .tryAgain, .clusterDown, .noScript, .other:
        .refusing
      case .badURL, .wrongPassword, .noAuth, .noPermission, .wrongType: .misconfigured
      }
    self.init(code, error.detail)
  }
}

extension RedisReply {
  /// The reply, or the queue's view of its error.
  func orThrow() throws(QueueError) -> RedisReply {
    if case .error(let error) = self { throw QueueError(error) }
    return self
  }
}
