internal import Glibc

/// Runs blocking work on a thread that ends with it.
enum OwnThread {
  private final class Work {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// False when the system has no thread to give; then `body` does not run.
  static func run(_ body: @escaping @Sendable () -> Void) -> Bool {
    let work = unsafe Unmanaged.passRetained(Work(body)).toOpaque()
    var thread = pthread_t()
    let code = unsafe pthread_create(
      &thread, nil,
      { work in
        guard let work = unsafe work else { return nil }
        OwnThread.blockSignals()
        unsafe Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body()
        return nil
      }, work)
    guard code == 0 else {
      unsafe Unmanaged<Work>.fromOpaque(work).release()
      return false
    }
    pthread_detach(thread)
    return true
  }

  /// Signals belong to the main thread.
  private static func blockSignals() {
    var all = sigset_t()
    unsafe sigfillset(&all)
    unsafe pthread_sigmask(SIG_BLOCK, &all, nil)
  }
}
