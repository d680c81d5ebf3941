internal import Glibc
internal import LoopIO
internal import RedisClient
internal import SharedState

/// Runs one verb and prints what it found as one JSON object; `event` prints the event.
func run(_ options: BenchOptions, on loop: Loop) async throws {
  let now = SystemClock().wall() / 1_000
  if options.verb == .event {
    let event = SampleEvent(number: options.number, sentAt: now)
    return print(String(decoding: event.item, as: UTF8.self))
  }
  if options.verb == .micro { return runMicro() }
  let connection = try await RedisConnection.connect(
    to: try RedisURL(options.redis), on: loop, timeout: .seconds(5))
  defer { connection.close() }
  if options.verb == .fill {
    let filler = QueueFiller(connection: connection, list: options.list)
    let length = try await filler.fill(options.events, sentAt: now)
    return print("{\"length\":\(length),\"eventBytes\":\(SampleEvent.itemBytes)}")
  }
  let probe = LatencyProbe(connection: connection, loop: loop, list: options.list)
  let pushes = try await probe.run(
    options.samples, pause: .milliseconds(options.pauseMilliseconds))
  let rows = pushes.map {
    "{\"token\":\"\($0.token)\",\"micros\":\($0.micros),\"pingNanoseconds\":\($0.pingNanoseconds)}"
  }
  print("{\"pushes\":[\(rows.joined(separator: ","))]}")
}

func complain(_ text: String) {
  let line = Array("allim-bench: \(text)\n".utf8)
  unsafe write(STDERR_FILENO, line, line.count)
}

signal(SIGPIPE, SIG_IGN)  // a write to a Redis that went away must be an error, not an end
do {
  let options = try BenchOptions(Array(CommandLine.arguments.dropFirst()))
  let loop = Loop(name: "bench")
  // Nobody awaits it: it ends the process.
  Task(executorPreference: loop) {
    do {
      try await run(options, on: loop)
      exit(0)
    } catch {
      complain("\(error)")
      exit(1)
    }
  }
  loop.run()
} catch {
  complain("\(error.detail)\n\(BenchOptions.usage)")
  exit(2)
}
