internal import CLibuv

/// What only the loop's own thread touches.
@safe final class LoopState {
  var ready: [UnownedJob] = []
  var running: [UnownedJob] = []
  var calls: [@Sendable () -> Void] = []
  var calling: [@Sendable () -> Void] = []
  var dirty: [any TurnEnd] = []
  var ending: [any TurnEnd] = []
  let prepare: UnsafeMutablePointer<uv_prepare_t>
  let again: UnsafeMutablePointer<uv_idle_t>
  /// One for all streams of the loop: a read is handled before the next begins.
  let readBuffer: UnsafeMutableRawBufferPointer
  let plaintext: UnsafeMutableRawBufferPointer
  /// What streams gather their output in before one write.
  var output: [UInt8] = []
  /// The same as TLS records.
  var records: [UInt8] = []

  init(_ loop: UnsafeMutablePointer<uv_loop_t>) {
    unsafe prepare = .allocate(capacity: 1)
    unsafe again = .allocate(capacity: 1)
    unsafe readBuffer = .allocate(byteCount: 65_536, alignment: 16)
    unsafe plaintext = .allocate(byteCount: 65_536, alignment: 16)
    unsafe uv_prepare_init(loop, prepare)
    unsafe uv_idle_init(loop, again)
  }

  var hasWork: Bool { !ready.isEmpty || !dirty.isEmpty || !calls.isEmpty }
}

/// libuv writes to a handle until its close callback: the memory must live that long.
func closeAndFree<T>(_ handle: UnsafeMutablePointer<T>) {
  unsafe cuv_close(handle) { handle in
    unsafe UnsafeMutableRawPointer(handle)?.deallocate()
  }
}

/// libuv's words for one of its error codes.
func libuvText(_ code: Int32) -> String { unsafe String(cString: uv_strerror(code)) }
