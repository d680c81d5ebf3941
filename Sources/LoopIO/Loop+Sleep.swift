extension Loop {
  /// Waits on the loop by a timer of its own; `Task.sleep` would wake through another thread.
  package func sleep(_ duration: Duration) async throws(CancellationError) {
    let sleeper = LoopBound(Sleeper())
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        // The cancel handler's call comes after this one: both are in the loop's order.
        execute { [self] in
          sleeper.value.begin(on: self, duration, continuation)
        }
      }
    } onCancel: {
      execute { sleeper.value.end() }
    }
    if Task.isCancelled { throw CancellationError() }
  }
}

private final class Sleeper {
  private var timer: LoopTimer?
  private var waiting: CheckedContinuation<Void, Never>?
  private var isOver = false

  func begin(on loop: Loop, _ duration: Duration, _ waiting: CheckedContinuation<Void, Never>) {
    if isOver { return waiting.resume() }
    self.waiting = waiting
    timer = LoopTimer(on: loop) { [unowned self] in end() }
    timer?.arm(after: duration)
  }

  func end() {
    isOver = true
    timer?.cancel()
    waiting?.resume()
    waiting = nil
  }
}
