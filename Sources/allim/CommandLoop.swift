internal import LoopIO
internal import SharedState

/// Runs a command's asynchronous part with the calling thread as its loop.
func onLoop(
  _ body: @escaping @Sendable (Loop) async throws(CommandFailure) -> ExitCode
) throws(CommandFailure) -> ExitCode {
  let loop = Loop(name: "control")
  let ending = Guarded<Result<ExitCode, CommandFailure>?>(nil)
  // `run` below waits for it.
  Task(executorPreference: loop) {
    let result: Result<ExitCode, CommandFailure>
    do throws(CommandFailure) { result = .success(try await body(loop)) } catch {
      result = .failure(error)
    }
    ending.withLock { $0 = result }
    loop.stop()
  }
  loop.run()
  return try (ending.withLock { $0 } ?? .success(.failed)).get()
}
