import SharedState
import TestSupport
import Testing

/// What operators do with dead letters and held tokens by the hundred.
@Suite(.redis) struct DeadVerbTests {
  private let allim: AllimCommand

  init() throws { allim = AllimCommand(try redis()) }

  private var now: Int64 { SystemClock().wall() }

  private func letter(_ id: Int, _ reason: String, _ app: String = "chat") -> String {
    #"{"v":1,"id":"e\#(id)","reason":"\#(reason)","detail":"d","app":"\#(app)","type":"notice","#
      + #""takenAt":\#(now - 60_000),"deadAt":\#(now - 60_000),"replays":0,"#
      + #""event":{"type":"notice","app":"chat","title":"x","devices":"#
      + #"[{"platform":"android","token":"a:b"}]}}"#
  }

  private func fill(_ queue: String, _ letters: [String]) async throws {
    _ = try await allim.redis(["RPUSH", "{\(queue)}:dead"] + letters)
  }

  @Test func `purge removes what matches, says so before when asked, and nothing else`()
    async throws
  {
    let queue = "purge"
    let letters = (0..<300).map { letter($0, $0 % 3 == 0 ? "rejected" : "poison") }
    try await fill(queue, letters)
    let dry = try await allim(
      "dead", "purge", "--queue", queue, "--reason", "rejected", "--dry-run", "--json")
    #expect(dry.lines == [#"{"queue":"purge","purged":100,"dryRun":true}"#])
    #expect(try await allim.list("{\(queue)}:dead").count == 300)
    let some = try await allim("dead", "purge", "--queue", queue, "--limit", "5", "--yes")
    #expect(some.status == 0 && some.lines == ["removed 5"])
    #expect(try await allim.list("{\(queue)}:dead") == Array(letters.dropFirst(5)))
    let all = try await allim("dead", "purge", "--queue", queue, "--reason", "rejected")
    #expect(all.lines == ["removed 98"])
    let left = try await allim.list("{\(queue)}:dead")
    #expect(left == letters.dropFirst(5).filter { $0.contains("poison") })
    let none = try await allim("dead", "purge", "--queue", queue, "--app", "other")
    #expect(none.status == 4 && none.lines == ["removed 0"])
  }

  @Test func `export prints whole letters, a line each, and leaves them`() async throws {
    let queue = "export"
    let letters = (0..<250).map { letter($0, $0 < 200 ? "rejected" : "poison") }
    try await fill(queue, letters)
    let lines = try await allim("dead", "export", "--queue", queue, "--reason", "rejected")
    #expect(lines.status == 0 && lines.lines == Array(letters.prefix(200)))
    let json = try await allim("dead", "export", "--queue", queue, "--json", "--limit", "3")
    let view = JSONView(json.text.utf8)
    #expect(view?["letters"]?.elements.count == 3 && view?["queue"]?.string == queue)
    #expect(try await allim.list("{\(queue)}:dead") == letters)
    #expect(try await allim("dead", "export", "--queue", "empty").status == 4)
  }

  @Test func `retry keeps to its rate`() async throws {
    let queue = "rate"
    try await fill(queue, (0..<40).map { letter($0, "rejected") })
    let begin = ContinuousClock.now
    let retried = try await allim("dead", "retry", "--queue", queue, "--rate", "20", "--json")
    #expect(retried.text.contains(#""retried":40"#), "\(retried.text)")
    // 40 at 20 a second; the last ones need not be waited for.
    #expect(ContinuousClock.now - begin > .milliseconds(1_700))
    #expect(try await allim.list(queue).count == 40)
  }

  @Test func `held tokens are listed, released and dropped by app`() async throws {
    let queue = "held"
    let token = String(repeating: "cd", count: 32)
    let records = (0..<260).map {
      #"{"v":1,"kind":"device","token":"\#(token)","provider":"apns","#
        + #""app":"\#($0 % 2 == 0 ? "chat" : "other")","user":"u\#($0)","reason":"Unregistered"}"#
    }
    _ = try await allim.redis(["RPUSH", "{\(queue)}:invalid:held"] + records)
    let list = try await allim(
      "invalid", "held", "list", "--queue", queue, "--app", "other", "--limit", "150")
    #expect(list.status == 0 && list.lines.count == 131)
    #expect(!list.text.contains(token) && list.text.contains("cdcdcd…(64)"))
    let dry = try await allim(
      "invalid", "held", "drop", "--queue", queue, "--app", "other", "--dry-run")
    #expect(dry.lines == ["would be dropped: 130"])
    let dropped = try await allim(
      "invalid", "held", "drop", "--queue", queue, "--app", "other", "--json")
    #expect(dropped.lines == [#"{"queue":"held","dropped":130,"dryRun":false}"#])
    let released = try await allim("invalid", "held", "release", "--queue", queue)
    #expect(released.lines == ["released 130"])
    let fed = try await allim.list("{\(queue)}:invalid")
    #expect(fed == records.filter { $0.contains("\"chat\"") })
    #expect(try await allim("invalid", "held", "release", "--queue", queue).status == 4)
  }

  @Test func `pauses stand in the control of the queues, and resume lifts them`() async throws {
    #expect(try await allim("pause", "--queue", "calls").lines == ["paused: calls"])
    let paused = try await allim("pause", "--queue", "calls", "--app", "chat", "--json")
    #expect(paused.lines == [#"{"paused":true,"queues":["calls"],"app":"chat"}"#])
    let stats = try await allim("stats", "--queue", "calls", "--json")
    #expect(stats.text.contains(#""paused":true,"pausedApps":["chat"]"#))
    #expect(try await allim("resume", "--queue", "calls").status == 0)
    #expect(try await allim("stats", "--queue", "calls").text.contains("app chat"))
    #expect(try await allim("resume", "--queue", "calls", "--app", "chat").status == 0)
    #expect(!(try await allim("stats", "--queue", "calls").text.contains("paused")))
  }
}
