import PushModel

/// What one lane keeps between its pushes: the buffers of a request, and its place while idle.
@safe final class Lane {
  var request = PushRequest()
  private var job: Dispatcher<OpenItem>.Job?
  private var waiting: UnsafeContinuation<Void, Never>?

  /// Waits until a job is handed over; nil = the lane is to end.
  func nextJob() async -> Dispatcher<OpenItem>.Job? {
    unsafe await withUnsafeContinuation { unsafe waiting = $0 }
    defer { job = nil }
    return job
  }

  /// Hands a job to the waiting lane, or lets it end.
  func resume(_ job: Dispatcher<OpenItem>.Job?) {
    self.job = job
    guard let waiting = unsafe waiting else { return }
    unsafe self.waiting = nil
    unsafe waiting.resume()
  }
}
