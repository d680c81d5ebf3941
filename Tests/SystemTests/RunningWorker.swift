import LoopIO
import TestSupport

/// An `allim run` of a test's own.
final class RunningWorker {
  private let child: ChildProcess

  /// `settings` are `ALLIM_*` variables, `NAME=value`. With `log`, what it logs goes to that file.
  init(
    on loop: Loop, configuration: String, redis: String, settings: [String] = [],
    log: String? = nil
  ) throws {
    let words = [Product("allim").path, "run", "--config", configuration, "--redis", redis]
    let level = log == nil ? "error" : "warning"
    child = try ChildProcess(
      on: loop, "/bin/sh",
      ["-c", #"log=$0; exec "$@" 2>>"$log""#, log ?? "/dev/stderr"] + words,
      environment: ["ALLIM_LOG_LEVEL=\(level)", "ALLIM_ADMIN_LISTEN=127.0.0.1:0"] + settings)
  }

  func signal(_ number: Int32) { child.kill(number) }

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
