/// Wakes the one role that waits for it; a raise that nobody waits for is kept.
///
/// Used on one loop only. A cancelled wait ends like a raised one.
final class Signal {
  private var waiting: CheckedContinuation<Void, Never>?
  private var isRaised = false

  func raise() {
    guard let waiting else {
      isRaised = true
      return
    }
    self.waiting = nil
    waiting.resume()
  }

  func wait() async {
    await withCheckedContinuation { continuation in
      // Looked at where the wait begins: it may be raised on the way there.
      if isRaised {
        isRaised = false
        return continuation.resume()
      }
      waiting = continuation
    }
  }
}
