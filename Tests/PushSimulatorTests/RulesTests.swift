import HTTP2
import LoopIO
import TestSupport
import Testing

@testable import PushSimulator

@Suite struct RulesTests {
  private func outcome(
    _ rules: String, through change: (inout PoolSettings) -> Void = { _ in },
    _ bench: SimulatorBench
  ) async throws -> RequestOutcome {
    try await bench.simulator.setRules(rules)
    var push = Push()
    push.bearer = try bench.jwt()
    let pool = try bench.pool(bench.ports.apns, change: change)
    return await pool.send(push.head, body: push.body)
  }

  private func trouble(_ outcome: RequestOutcome) -> RequestTrouble.Kind? {
    switch outcome {
    case .neverSent(let trouble), .unknown(let trouble): trouble.kind
    case .answered: nil
    }
  }

  private func status(_ outcome: RequestOutcome) -> Int? {
    guard case .answered(let response) = outcome else { return nil }
    return response.status
  }

  @Test func `a rule answers in its own words, as often as it says`() async throws {
    try await SimulatorBench.run { bench in
      let rules = #"""
        [{"match":{"provider":"apns"},"respond":{"status":503,"reason":"Shutdown","retryAfter":7},
          "times":1},
         {"match":{"provider":"fcm"},"respond":{"status":500}}]
        """#
      try await bench.simulator.setRules(rules)
      let pool = try bench.pool(bench.ports.apns)
      var push = Push()
      push.bearer = try bench.jwt()
      let first = try await bench.send(push, through: pool)
      #expect(first.status == 503)
      #expect(first.reason == "Shutdown")
      #expect(first.header("retry-after") == Array("7".utf8))
      #expect(try await bench.send(push, through: pool).status == 200)
    }
  }

  @Test func `a body may be anything and a status too`() async throws {
    try await SimulatorBench.run { bench in
      let answer = try await outcome(
        #"[{"respond":{"status":502,"body":"<html>bad gateway</html>"}}]"#, bench)
      guard case .answered(let response) = answer else { return #expect(Bool(false)) }
      #expect(response.status == 502)
      #expect(response.body == Array("<html>bad gateway</html>".utf8))
    }
  }

  @Test func `a delayed answer comes late and is the ordinary one`() async throws {
    try await SimulatorBench.run { bench in
      let start = ContinuousClock.now
      let answer1 = try await outcome(#"[{"respond":{"delayMs":120}}]"#, bench)
      #expect(status(answer1) == 200)
      #expect(ContinuousClock.now - start >= .milliseconds(119))
    }
  }

  @Test func `hang and blackhole never answer`() async throws {
    try await SimulatorBench.run { bench in
      for action in ["hang", "blackhole"] {
        let result = try await outcome(
          #"[{"action":"\#(action)"}]"#, through: { $0.requestTimeout = .milliseconds(150) },
          bench)
        #expect(trouble(result) == .timeout)
      }
    }
  }

  @Test func `reset and close leave the outcome unknown`() async throws {
    try await SimulatorBench.run { bench in
      let answer2 = try await outcome(#"[{"action":"reset"}]"#, bench)
      #expect(trouble(answer2) == .reset)
      let answer3 = try await outcome(#"[{"action":"close"}]"#, bench)
      #expect(trouble(answer3) == .closed)
    }
  }

  @Test func `what was refused or stands above a GOAWAY is accepted when sent again`()
    async throws
  {
    try await SimulatorBench.run { bench in
      for action in ["refuse", "goawayBelow"] {
        let result = try await outcome(#"[{"action":"\#(action)","times":1}]"#, bench)
        #expect(status(result) == 200)
      }
      let text = try await bench.received()
      #expect(text["requests.0.answer.action"] == "refuse")
      #expect(text["requests.1.answer.status"] == "200")
      #expect(text["requests.2.answer.action"] == "goawayBelow")
      #expect(text["requests.3.answer.status"] == "200")
      #expect(text["requests.2.connection"] != text["requests.3.connection"])
    }
  }

  @Test func `several GOAWAYs among requests read together leave each push processed once`()
    async throws
  {
    try await SimulatorBench.run { bench in
      let pool = try bench.pool(bench.ports.apns)
      var push = Push()
      push.bearer = try bench.jwt()
      #expect(try await bench.send(push, through: pool).status == 200)
      try await bench.simulator.setRules(
        #"""
        [{"match":{"nth":10},"action":"goawayBelow"},{"match":{"nth":15},"action":"goaway"},
         {"respond":{"delayMs":50}}]
        """#)
      let shared = UncheckedBox((pool, push))
      let accepted = await withTaskGroup(of: Int?.self) { group in
        for _ in 0..<40 {
          group.addTask {
            let (pool, push) = shared.value
            guard case .answered(let response) = await pool.send(push.head, body: push.body)
            else { return nil }
            return response.status
          }
        }
        return await group.reduce(0) { $0 + ($1 == 200 ? 1 : 0) }
      }
      #expect(accepted == 40)
      let text = try await bench.received()
      let answers = (0..<100).compactMap { text["requests.\($0).answer.status"] }
      #expect(answers.count == 41, "one of them before the rules")
    }
  }

  @Test func `a GOAWAY that covers the request leaves it answered`() async throws {
    try await SimulatorBench.run { bench in
      let answer4 = try await outcome(#"[{"action":"goaway"}]"#, bench)
      #expect(status(answer4) == 200)
      #expect(try await bench.connections()["connections.0.goAways"] == "1")
    }
  }

  @Test func `settings of a rule are announced`() async throws {
    try await SimulatorBench.run { bench in
      let rules = #"[{"settings":{"maxConcurrentStreams":3,"initialWindowSize":0},"times":1}]"#
      try await bench.simulator.setRules(rules)
      let pool = try bench.pool(bench.ports.apns) { $0.requestTimeout = .milliseconds(200) }
      var push = Push()
      push.bearer = try bench.jwt()
      #expect(try await bench.send(push, through: pool).status == 200)
      #expect(try await bench.connections()["connections.0.maxConcurrentStreams"] == "3")
      // The window of the next stream is closed, so its body cannot leave.
      #expect(trouble(await pool.send(push.head, body: push.body)) == .timeout)
    }
  }

  @Test func `the first rule that fits wins, nth and every count what fits`() {
    var book = RuleBook([
      Rule(match: Rule.Match(tokenPrefix: Array("bb".utf8), nth: 2), action: .hang),
      Rule(match: Rule.Match(provider: .apns, every: 3), action: .reset),
      Rule(match: Rule.Match(provider: .fcm), action: .close, times: 1),
    ])
    func next(_ provider: ProviderName, _ token: String) -> Rule.Action? {
      book.match(provider, token: Array(token.utf8)[...])?.action
    }
    #expect(next(.apns, "bb1") == nil)
    #expect(next(.apns, "bb2") == .hang)
    #expect(next(.apns, "aa") == nil)
    #expect(next(.apns, "aa") == .reset)
    #expect(next(.fcm, "t") == .close)
    #expect(next(.fcm, "t") == nil)
  }

  @Test(arguments: [
    ("{}", "rules are a JSON array"), ("[", "rules are no JSON"),
    (#"[{"mach":{}}]"#, "mach"), (#"[{"action":"explode"}]"#, "hang"),
    (#"[{"match":{"nth":0}}]"#, "rules[0].match.nth"),
    (#"[{"match":{"provider":"apn"}}]"#, "provider"),
    (#"[{"respond":{"status":"410"}}]"#, "rules[0].respond.status"),
    (#"[{"respond":{"status":99}}]"#, "100 to 599"),
  ])
  func `a wrong rule is refused with its place`(_ json: String, _ place: String) {
    do {
      _ = try RuleReader.read(Array(json.utf8))
      Issue.record("taken: \(json)")
    } catch {
      #expect(error.detail.contains(place))
    }
  }
}
