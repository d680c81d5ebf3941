internal import CLibuv
internal import Glibc

/// How a child ended.
package struct ExitStatus: Sendable, Equatable {
  /// The exit code; 0 also when a signal ended it.
  package let code: Int64
  /// The signal that ended it; 0 = none.
  package let signal: Int32

  package init(code: Int64 = 0, signal: Int32 = 0) {
    self.code = code
    self.signal = signal
  }
}

/// A child process, spawned from a loop that must live as long as the child.
@safe package final class ChildProcess {
  /// Where the child's standard output and error go.
  package enum Output {
    case inherit, discard
    /// Each whole line of standard output, without its line feed; standard error is inherited.
    case lines((String) -> Void)
  }

  private let loop: Loop
  private let handle: UnsafeMutablePointer<uv_process_t>
  private var waiting: [CheckedContinuation<ExitStatus, Never>] = []
  private var reader: LineReader?
  package private(set) var exit: ExitStatus?

  /// The id of the process.
  package var pid: Int32 { unsafe handle.pointee.pid }

  /// `environment` nil = ours; otherwise `NAME=value` each. With `diesWithUs` the kernel sends TERM
  /// to the child when the spawning thread ends, also by SIGKILL.
  package init(
    on loop: Loop, _ path: String, _ arguments: [String] = [], environment: [String]? = nil,
    directory: String? = nil, output: Output = .inherit, diesWithUs: Bool = true
  ) throws(StreamError) {
    self.loop = loop
    unsafe handle = .allocate(capacity: 1)
    var words = [path] + arguments
    if diesWithUs { words = ["/usr/bin/setpriv", "--pdeathsig", "TERM"] + words }
    if case .lines(let take) = output { reader = LineReader(on: loop, take) }
    unsafe cuv_set_data(handle, Unmanaged.passRetained(self).toOpaque())
    let code = unsafe Self.withCStrings(words) { words in
      unsafe Self.withCStrings(environment ?? []) { variables in
        var options = unsafe uv_process_options_t()
        unsafe options.file = UnsafePointer(words[0])
        unsafe options.args = words
        if environment != nil { unsafe options.env = variables }
        return unsafe spawn(&options, directory: directory, output)
      }
    }
    if code != 0 {
      unsafe Unmanaged.passUnretained(self).release()
      unsafe cuv_set_data(handle, nil)
      unsafe closeAndFree(handle)
      throw StreamError(.setup, "cannot start \(path): \(libuvText(code))")
    }
    reader?.start()
  }

  private func spawn(
    _ options: inout uv_process_options_t, directory: String?, _ output: Output
  ) -> Int32 {
    unsafe options.exit_cb = { handle, code, signal in
      let user = unsafe cuv_data(handle!)!
      let child = unsafe Unmanaged<ChildProcess>.fromOpaque(user).takeRetainedValue()
      unsafe handle.map { unsafe closeAndFree($0) }
      child.ended(ExitStatus(code: code, signal: signal))
    }
    var stdio = unsafe [uv_stdio_container_t](repeating: uv_stdio_container_t(), count: 3)
    unsafe stdio[0].flags = UV_IGNORE
    for descriptor in 1...2 {
      unsafe stdio[descriptor].flags = UV_IGNORE
      if case .discard = output { continue }
      unsafe stdio[descriptor].flags = UV_INHERIT_FD
      unsafe stdio[descriptor].data.fd = Int32(descriptor)
    }
    if let reader {
      unsafe stdio[1].flags = uv_stdio_flags(UV_CREATE_PIPE.rawValue | UV_WRITABLE_PIPE.rawValue)
      unsafe stdio[1].data.stream = reader.stream
    }
    return unsafe stdio.withUnsafeMutableBufferPointer { stdio in
      unsafe options.stdio = stdio.baseAddress
      unsafe options.stdio_count = 3
      guard let directory else { return unsafe uv_spawn(loop.raw, handle, &options) }
      return unsafe directory.withCString { directory in
        unsafe options.cwd = directory
        return unsafe uv_spawn(loop.raw, handle, &options)
      }
    }
  }

  /// Strings as C wants them, with a nil at the end.
  private static func withCStrings<R>(
    _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> R
  ) -> R {
    var pointers = unsafe strings.map { unsafe strdup($0) }
    unsafe pointers.append(nil)
    defer {
      for index in unsafe pointers.indices { unsafe free(pointers[index]) }
    }
    return unsafe pointers.withUnsafeMutableBufferPointer { unsafe body($0.baseAddress!) }
  }

  private func ended(_ status: ExitStatus) {
    reader?.drain()
    exit = status
    let waiting = waiting
    self.waiting = []
    for continuation in waiting { continuation.resume(returning: status) }
  }

  /// Sends a signal; nothing when the child has ended.
  package func kill(_ signal: Int32) {
    if exit == nil { unsafe uv_process_kill(handle, signal) }
  }

  package func waitForExit() async -> ExitStatus {
    if let exit { return exit }
    return await withCheckedContinuation { waiting.append($0) }
  }
}
