import PushModel

/// What one lane keeps between its pushes: the buffers of a request, and its place while idle.
@safe final class Lane {
  let request = PushRequest()
  private var job: Dispatcher<OpenItem>.Job?
  private var waiting: UnsafeContinuation<Void, Never>?
  /// It was handed something that it has not taken.
  private var isResumed = false

  /// The lane waits from now on until it is resumed.
  func waits(_ continuation: UnsafeContinuation<Void, Never>) {
    if isResumed { unsafe continuation.resume() } else { unsafe waiting = continuation }
  }

  /// Hands a job to the waiting lane, or lets it end.
  func resume(_ job: Dispatcher<OpenItem>.Job?) {
    self.job = job
    isResumed = true
    guard let waiting = unsafe waiting else { return }
    unsafe self.waiting = nil
    unsafe waiting.resume()
  }

  /// What it was resumed with; nil = it is to end.
  func takeJob() -> Dispatcher<OpenItem>.Job? {
    isResumed = false
    return job.take()
  }
}
