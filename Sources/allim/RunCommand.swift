internal import LoopIO
internal import PushSettings
internal import PushTelemetry

extension Verb {
  static let work = Verb(
    name: "run", summary: "Takes events from Redis and pushes them, until TERM or INT.",
    details: """
      Without any configuration (no file, no ALLIM_* variable, no --redis) it starts a private
      redis-server in ./.allim, which ends with it. TERM finishes within the grace and hands the
      rest back; a second TERM hands back at once.
      """,
    examples: ["allim run", "allim run --config allim.yaml", "allim run --redis redis://db:6379/0"]
  ) { invocation throws(CommandFailure) in
    try invocation.requireOperands(0...0)
    return try onLoop { loop async throws(CommandFailure) in
      let process = try WorkerProcess(
        { () throws(CommandFailure) in try invocation.loadSettings(isForWorker: true) }, on: loop)
      return try await process.run()
    }
  }
}
