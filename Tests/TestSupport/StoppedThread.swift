internal import Glibc
package import LoopIO

/// One thread of a process that stands still while the others go on, as one that hangs does.
package final class StoppedThread {
  private let child: ChildProcess

  /// Whether this machine lets a process stop another's thread (ptrace).
  package static var isAllowed: Bool {
    let scope = read("/proc/sys/kernel/yama/ptrace_scope")?.first ?? UInt8(ascii: "0")
    return scope == UInt8(ascii: "0") || geteuid() == 0 && scope != UInt8(ascii: "3")
  }

  package struct Failure: Error { let detail: String }

  /// Seizes the thread and stops it alone. ptrace is variadic, which Swift does not call.
  private static let script = """
    from ctypes import CDLL, c_long, c_void_p, get_errno; import os, signal, sys
    process, name = sys.argv[1:]
    folder = f"/proc/{process}/task"
    threads = [int(t) for t in os.listdir(folder) if open(f"{folder}/{t}/comm").read().strip() == name]
    ptrace = CDLL(None, use_errno=True).ptrace
    ptrace.argtypes = [c_long, c_long, c_void_p, c_void_p]
    for request in (0x4206, 0x4207):  # PTRACE_SEIZE, PTRACE_INTERRUPT
        if ptrace(request, threads[0], None, None):
            sys.exit(os.strerror(get_errno()))
    os.waitpid(threads[0], 0x40000000)  # __WALL
    print("stopped", flush=True)
    signal.pause()
    """

  /// - Parameter name: what the thread is called; the kernel keeps 15 bytes.
  package init(_ name: String, of process: Int32, on loop: Loop) async throws {
    var isStopped = false
    child = try ChildProcess(
      on: loop, "/bin/sh",
      ["-c", #"exec python3 -c "$@""#, "-", Self.script, String(process), name],
      output: .lines { line in isStopped = line == "stopped" })
    let child = child
    _ = await eventually(on: loop) { isStopped || child.exit != nil }
    guard isStopped else { throw Failure(detail: "the thread \(name) cannot be stopped") }
  }

  /// Lets it go on: with its tracer's end it is its own again.
  package func resume() async {
    child.kill(9)
    _ = await child.waitForExit()
  }
}
