import LoopIO
import TestSupport

/// An `allim run` of a test's own.
final class RunningWorker {
  private let child: ChildProcess

  /// `settings` are `ALLIM_*` variables, `NAME=value`; `log` is a file for what it says.
  init(
    on loop: Loop, configuration: String, redis: String, settings: [String] = [],
    log: String = "/dev/stderr"
  ) throws {
    child = try ChildProcess(
      on: loop, "/bin/sh",
      [
        "-c", "exec \"$0\" \"$@\" 2>>\(log)", Product("allim").path, "run", "--config",
        configuration, "--redis", redis,
      ],
      environment: ["ALLIM_LOG_LEVEL=error", "ALLIM_ADMIN_LISTEN=127.0.0.1:0"] + settings)
  }

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
