internal import CLibuv

/// Calls `action` on the loop at each arrival of a signal, until it is closed or let go.
@safe package final class SignalSource {
  private final class Action {
    let run: () -> Void
    init(_ run: @escaping () -> Void) { self.run = run }
  }

  private let handle: UnsafeMutablePointer<uv_signal_t>
  private let action: Action
  private let loop: Loop
  private var isClosed = false

  package init(
    on loop: Loop, _ signal: Int32, _ action: @escaping () -> Void
  ) throws(StreamError) {
    self.loop = loop
    self.action = Action(action)
    unsafe handle = .allocate(capacity: 1)
    unsafe uv_signal_init(loop.raw, handle)
    unsafe cuv_set_data(handle, Unmanaged.passUnretained(self.action).toOpaque())
    let code = unsafe uv_signal_start(
      handle,
      { handle, _ in
        let user = unsafe cuv_data(handle!)!
        unsafe Unmanaged<Action>.fromOpaque(user).takeUnretainedValue().run()
      }, signal)
    if code != 0 { throw StreamError(.setup, "cannot catch signal \(signal): \(libuvText(code))") }
  }

  /// The signal has its default effect again.
  package func close() {
    if isClosed { return }
    isClosed = true
    unsafe closeAndFree(handle)
  }

  /// From now on the signal does nothing, until the process ends; to be called while a source still
  /// catches it. To close the last source and ignore the signal then would leave a moment in which
  /// it ends the process.
  package static func swallow(_ signal: Int32) {
    let loop = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
    let handle = UnsafeMutablePointer<uv_signal_t>.allocate(capacity: 1)
    unsafe uv_loop_init(loop)
    unsafe uv_signal_init(loop, handle)
    // The loop never runs, and both live as long as the process.
    unsafe uv_signal_start(handle, { _, _ in }, signal)
  }

  deinit {
    if isClosed { return }
    let handle = unsafe LoopBound(handle)
    loop.execute { unsafe closeAndFree(handle.value) }
  }

  /// A write to a dead peer must not end the process: call it first thing in main.
  package static func ignoreBrokenPipes() { cuv_ignore_signal(SIGPIPE) }
}
