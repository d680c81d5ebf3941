import Glibc
import LoopIO
import TestSupport

/// An `allim run` of a test's own.
final class RunningWorker {
  private let child: ChildProcess
  private let log: Log

  /// Records of a worker that is to be listened to.
  private final class Log { var lines: [String] = [] }

  /// `settings` are `ALLIM_*` variables, `NAME=value`. With `log`, what it logs goes to that file.
  init(
    on loop: Loop, configuration: String, redis: String, settings: [String] = [],
    log: String? = nil
  ) throws {
    self.log = Log()
    // Where its admin token is kept.
    let folder = configuration.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    let words = [Product("allim").path, "run", "--config", configuration, "--redis", redis]
    let level = log == nil ? "error" : "warning"
    child = try ChildProcess(
      on: loop, "/bin/sh",
      ["-c", #"log=$0; exec "$@" 2>>"$log""#, log ?? "/dev/stderr"] + words,
      environment: ["ALLIM_LOG_LEVEL=\(level)", "ALLIM_ADMIN_LISTEN=127.0.0.1:0"] + settings,
      directory: folder.joined(separator: "/"))
  }

  /// One whose records are kept in `lines`; `wrapping` are shell words before it, such as a limit.
  init(
    listenedTo loop: Loop, _ arguments: [String], settings: [String] = [], wrapping: String = "",
    directory: String? = nil
  ) throws {
    let log = Log()
    self.log = log
    child = try ChildProcess(
      on: loop, "/bin/sh",
      ["-c", wrapping + #"exec "$0" run "$@" 2>&1"#, Product("allim").path] + arguments,
      environment: ["PATH=/usr/bin:/bin", "ALLIM_ADMIN_LISTEN=127.0.0.1:0"] + settings,
      directory: directory, output: .lines { log.lines.append($0) })
  }

  /// What it has written so far.
  var lines: [String] { log.lines }
  var pid: Int32 { child.pid }
  var exit: ExitStatus? { child.exit }

  /// Records with this message.
  func records(_ message: String) -> [JSONView] {
    lines.filter { $0.contains("\"message\":\"\(message)\"") }.compactMap { JSONView($0.utf8) }
  }

  func signal(_ number: Int32) { child.kill(number) }

  /// Open descriptors of the process.
  func descriptors() -> Int { count(of: "/proc/\(pid)/fd") }

  /// Time of the processor that it has used.
  func cpuSeconds() -> Double {
    var (clock, time) = (clockid_t(), timespec())
    unsafe clock_getcpuclockid(pid, &clock)
    unsafe clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  func waitForExit() async -> ExitStatus { await child.waitForExit() }

  func kill() async {
    child.kill(9)
    _ = await child.waitForExit()
  }

  /// TERM; its exit status.
  func stop() async -> ExitStatus {
    child.kill(15)
    return await child.waitForExit()
  }
}
