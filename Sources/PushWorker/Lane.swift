import PushModel

/// What one lane keeps between its pushes: the buffers of a request, and its place while idle.
@safe final class Lane {
  var request = PushRequest()
  private var job: Dispatcher<OpenItem>.Job?
  private var waiting: UnsafeContinuation<Void, Never>?
  /// It was handed something that it has not taken.
  private var isResumed = false

  /// Waits until a job is handed over; nil = the lane is to end.
  func nextJob() async -> Dispatcher<OpenItem>.Job? {
    unsafe await withUnsafeContinuation { continuation in
      // Looked at where the wait begins: a job may be handed over on the way there.
      if isResumed { unsafe continuation.resume() } else { unsafe waiting = continuation }
    }
    defer { (job, isResumed) = (nil, false) }
    return job
  }

  /// Hands a job to the waiting lane, or lets it end.
  func resume(_ job: Dispatcher<OpenItem>.Job?) {
    self.job = job
    isResumed = true
    guard let waiting = unsafe waiting else { return }
    unsafe self.waiting = nil
    unsafe waiting.resume()
  }
}
