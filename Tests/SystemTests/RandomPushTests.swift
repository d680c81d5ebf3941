internal import Glibc
import LoopIO
import PushCodec
import SharedState
import TestSupport
import Testing

/// Random events through the worker to the simulator: nothing is ever refused by a provider, and
/// what is not sent has a letter that names the field. Custom data arrives digit for digit, which
/// a parser checks that is not ours (`random_events.py`).
///
/// `ALLIM_TEST_EVENTS` makes the run longer, `ALLIM_TEST_SEED` repeats one.
@Suite struct RandomPushTests {
  private static func variable(_ name: String) -> UInt64? {
    guard let text = unsafe getenv(name) else { return nil }
    return unsafe UInt64(String(cString: text))
  }

  @Test(arguments: ["notification", "data"])
  func `no event provokes a refusal`(style: String) async throws {
    let dice = Self.variable("ALLIM_TEST_SEED").map { SeededRandom(seed: $0) } ?? .fresh()
    let count = Int(Self.variable("ALLIM_TEST_EVENTS") ?? 300)
    print("random events (\(style)): ALLIM_TEST_SEED=\(dice.seed) repeats them")
    let server = try await RedisServer()
    try await onLoop { loop in
      var maker = RandomEvents(dice, now: SystemClock().wall() / 1_000)
      let events = (0..<count).map { _ in maker.next() }
      let chain = try await PushChain(
        on: loop, server, simulator: ["--strict-streams"],
        settings: ["ALLIM_APPS_CHAT_ANDROID_STYLE=\(style)"])
      try await chain.queue.push(events)
      #expect(
        await eventually(within: .seconds(30 + count / 100), on: loop) {
          await chain.queue.isDrained(besides: [":dead", ":invalid"])
        })
      let requests = chain.requests()
      for request in requests where request.status != 200 {
        Issue.record("\(request.status) \(request.reason): \(request.line)")
      }
      let letters = await chain.queue.list("dead")
      for letter in letters { check(letter) }
      print("random events: \(requests.count) pushes, \(letters.count) letters")
      #expect(requests.count > count && letters.count > count / 10)
      #expect(await chain.queue.list("invalid").isEmpty)
      try await compare(events, chain.simulator.record, letters, on: loop)
      await chain.stop()
    }
    await server.stop()
  }

  private func check(_ bytes: [UInt8]) {
    let letter = JSONView(bytes)
    let detail = letter?["detail"]?.string ?? ""
    let isNamed =
      switch letter?["reason"]?.string {
      case "payload_too_large", "item_too_large": detail.contains { $0.isNumber }
      // One attempt within 30 s: in a long run some wait longer.
      case "expired": letter?["event", "ttl"]?.integer == 0
      case "rejected", "invalid_json", "poison", "attempts_exhausted", nil: false
      default: namesField(detail)
      }
    if !isNamed { Issue.record("\(String(decoding: bytes, as: UTF8.self))") }
  }

  /// `title: …`, `recipients[1].devices[0].token: …`, `key "apns" given twice`.
  private func namesField(_ detail: String) -> Bool {
    if detail.hasPrefix("key \"") { return true }
    let name = detail.prefix { $0.isLetter || $0.isNumber || "[]._-".contains($0) }
    return !name.isEmpty && detail.dropFirst(name.count).hasPrefix(": ")
  }

  private func compare(
    _ events: [String], _ record: String, _ letters: [[UInt8]], on loop: Loop
  ) async throws {
    let folder = TemporaryFolder()
    let script =
      #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast()
      .joined(separator: "/") + "/random_events.py"
    write([UInt8]((events.joined(separator: "\n") + "\n").utf8), to: folder.file("events"))
    write([UInt8](letters.map { $0 + [0x0A] }.joined()), to: folder.file("letters"))
    guard try await python(["--version"], on: loop).status == LoopIO.ExitStatus() else {
      return print("random events: no python3, so custom data was not compared")
    }
    let ending = try await python(
      [script, folder.file("events"), record, folder.file("letters")], on: loop)
    print("random events: \(ending.lines.last ?? "")")
    #expect(
      ending.status == LoopIO.ExitStatus(), "\(ending.lines.prefix(20).joined(separator: "\n"))")
  }

  private func python(
    _ arguments: [String], on loop: Loop
  ) async throws -> (status: LoopIO.ExitStatus, lines: [String]) {
    var lines: [String] = []
    let child = try ChildProcess(
      on: loop, "/usr/bin/env", ["python3"] + arguments, output: .lines { lines.append($0) })
    return (await child.waitForExit(), lines)
  }
}
