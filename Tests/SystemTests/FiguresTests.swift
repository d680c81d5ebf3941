import LoopIO
import RedisClient
import TestSupport
import Testing

/// What a worker says about itself, against what happened.
@Suite struct FiguresTests {
  /// Where the one live worker serves, as `allim workers` shows it.
  private func admin(_ allim: AllimCommand) async throws -> String {
    let listed = try await allim("workers", "--json")
    let workers = JSONView(listed.text.utf8)?["workers"]?.elements ?? []
    return try #require(workers.first?["admin"]?.string)
  }

  private func get(_ address: String, _ path: String) async throws -> String {
    let answer = await PlainClient.ask(address, "GET", path)
    try #require(answer.hasPrefix("HTTP/1.1 200 "), "\(path): \(answer.prefix(300))")
    let end = try #require(answer.firstRange(of: "\r\n\r\n"))
    return String(answer[end.upperBound...])
  }

  /// Sum over the series of a metric whose labels hold all these.
  private func sum(_ metrics: String, _ name: String, _ labels: String...) -> Int {
    var sum = 0.0
    for line in metrics.split(separator: "\n") {
      let head = line.prefix { $0 != "{" && $0 != " " }
      guard head == "allim_" + name, labels.allSatisfy({ line.contains($0) }) else { continue }
      sum += Double(line.split(separator: " ").last ?? "") ?? 0
    }
    return Int(sum)
  }

  @Test(.redis)
  func `metrics count what the provider's record shows, and promtool has no complaint`()
    async throws
  {
    let server = try redis()
    let allim = AllimCommand(server)
    try await onLoop { loop in
      let chain = try await PushChain(on: loop, server)
      var events: [String] = []
      for number in 0..<20 {
        events.append(Samples.message("g\(number)", Samples.iphone("a\(number + 100)")))
        events.append(Samples.message("f\(number)", Samples.android("x\(number)")))
      }
      for number in 0..<3 {
        events.append(Samples.message("u\(number)", Samples.iphone("0410\(number + 100)")))
        events.append(Samples.message("r\(number)", Samples.iphone("05032\(number + 100)")))
      }
      events.append(#"{"id":"b1","type":"nothing-known","devices":[\#(Samples.iphone("ab1"))]}"#)
      events.append("no JSON")
      let surplus = #""type":"message","sender":{"name":"K"},"message":{"text":"x"},"surplus":1"#
      events.append(Samples.event("s1", surplus, Samples.iphone("ab2")))
      try await chain.queue.push(events)
      let isDrained = await eventually(on: loop) {
        await chain.queue.isDrained(besides: [":dead", ":invalid"])
      }
      #expect(isDrained)
      let requests = chain.requests()
      let address = try await admin(allim)
      let metrics = try await get(address, "/metrics")

      func answers(_ provider: String, _ status: ClosedRange<Int64>) -> Int {
        requests.count { $0.provider == provider && status.contains($0.status) }
      }
      for provider in ["apns", "fcm"] {
        let label = "provider=\"\(provider)\""
        let accepted = answers(provider, 200...200)
        #expect(accepted > 0)
        #expect(sum(metrics, "pushes_total", label, "outcome=\"accepted\"") == accepted)
        for (name, range) in [("2xx", 200...299), ("4xx", 400...499), ("5xx", 500...599)]
          as [(String, ClosedRange<Int64>)]
        {
          #expect(
            sum(metrics, "attempts_total", label, "status_class=\"\(name)\"")
              == answers(provider, range), "\(provider) \(name)")
        }
      }
      #expect(sum(metrics, "pushes_total", "outcome=\"invalid_token\"") == 3)
      #expect(sum(metrics, "invalid_tokens_total", "reason=\"Unregistered\"") == 3)
      #expect(sum(metrics, "retries_total") == answers("apns", 500...599))
      #expect(sum(metrics, "send_duration_seconds_count") > 0)
      #expect(sum(metrics, "queue_age_seconds_count") == events.count - 2)
      #expect(sum(metrics, "dead_letters_total") == 2)
      #expect(sum(metrics, "unknown_fields_total") == 1)
      #expect(sum(metrics, "redis_roundtrip_seconds_count") > 0)
      #expect(sum(metrics, "workers") > 0 && sum(metrics, "workers_busy") == 0)
      #expect(sum(metrics, "connections", "state=\"ready\"") > 0)
      try await checkByPromtool(metrics, on: loop)
      await chain.stop()
    }
  }

  /// Where Prometheus' own tool is installed.
  private func checkByPromtool(_ metrics: String, on loop: Loop) async throws {
    let folder = TemporaryFolder()
    write([UInt8](metrics.utf8), to: folder.file("metrics"))
    var lines: [String] = []
    let script = "command -v promtool >/dev/null || exit 0; promtool check metrics <\"$0\" 2>&1"
    let child = try ChildProcess(
      on: loop, "/bin/sh", ["-c", script, folder.file("metrics")],
      output: .lines { lines.append($0) })
    let exit = await child.waitForExit()
    #expect(exit == ExitStatus() && lines.isEmpty, "\(lines.joined(separator: "\n"))")
  }

  @Test(.redis)
  func `dead letters are as many for the command line, the page, the metrics and Redis`()
    async throws
  {
    let server = try redis()
    let allim = AllimCommand(server)
    try await onLoop { loop in
      let chain = try await PushChain(on: loop, server)
      let address = try await admin(allim)

      func inRedis() async throws -> Int {
        Int(try await allim.redis(["LLEN", "{push:messages}:dead"]).integer ?? 0)
      }
      func byVerb() async throws -> Int {
        let counted = try await allim("dead", "count", "--json")
        return Int(JSONView(counted.text.utf8)?["count"]?.integer ?? -1)
      }
      func onPage() async throws -> Int {
        let body = try await get(address, "/api/v1/dead?limit=1")
        return Int(JSONView(body.utf8)?["count"]?.integer ?? -1)
      }
      func inMetrics() async throws -> Int {
        sum(try await get(address, "/metrics"), "dead_letters")
      }

      // Among pushes that go well, each tenth event is none.
      let load = (0..<6_000).map { number in
        number % 10 == 0
          ? #"{"id":"d\#(number)","type":"message"}"#
          : Samples.message("g\(number)", Samples.iphone(String(number + 0xa_0000, radix: 16)))
      }
      try await chain.queue.push(atOnce: load)
      // While letters are written, each count lies between two looks at the list.
      var looks = 0
      while try await inRedis() < 600, looks < 500 {
        looks += 1
        let first = try await inRedis()
        let page = try await onPage()
        let second = try await inRedis()
        let verb = try await byVerb()
        let third = try await inRedis()
        #expect(first <= page && page <= second && second <= verb && verb <= third)
      }
      #expect(try await inRedis() == 600 && looks > 2, "\(looks) looks")
      #expect(try await byVerb() == 600)
      #expect(try await onPage() == 600)
      #expect(sum(try await get(address, "/metrics"), "dead_letters_total") == 600)
      // The gauge is of a look each five seconds.
      #expect(try await eventually(on: loop) { try await inMetrics() == 600 })
      await chain.stop()
    }
  }
}
