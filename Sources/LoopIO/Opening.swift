/// Something that opens on a loop: it ends once, by itself or because `end` is called.
package protocol Opening: AnyObject {
  var loop: Loop { get }
  /// Called once, with nil when it has opened.
  var whenOpened: ((StreamError?) -> Void)? { get set }
  var isClosed: Bool { get }
  /// Gives up and closes what has been opened so far.
  func end(_ error: StreamError?)
}

extension Opening {
  /// Starts a step of opening and waits until it ends, the deadline passes or the task is
  /// cancelled. On failure it is closed.
  package func open(
    before deadline: ContinuousClock.Instant, isolation: isolated (any Actor)? = #isolation,
    _ start: () -> Void
  ) async throws(StreamError) {
    let timer = LoopTimer(on: loop) { [unowned self] in
      end(StreamError(.timeout, "no answer in time"))
    }
    timer.arm(after: ContinuousClock.now.duration(to: deadline))
    let me = LoopBound<any Opening>(self)  // a generic type may not cross
    let loop = loop
    let trouble = await withTaskCancellationHandler {
      _ = isolation  // keeps the closure on the caller's actor; else it runs on the global pool
      return await withCheckedContinuation {
        (continuation: CheckedContinuation<StreamError?, Never>) in
        // Cancelled between two steps: `end` has run, and nothing would resume this one.
        if isClosed { return continuation.resume(returning: StreamError(.cancelled, "cancelled")) }
        whenOpened = { continuation.resume(returning: $0) }
        start()
      }
    } onCancel: {
      loop.execute { me.value.end(StreamError(.cancelled, "cancelled")) }
    }
    timer.cancel()
    if let trouble { throw trouble }
  }

  /// Says how opening ended, to whom waits for it.
  package func tellOpened(_ error: StreamError?) {
    let whenOpened = whenOpened
    self.whenOpened = nil
    whenOpened?(error)
  }
}
