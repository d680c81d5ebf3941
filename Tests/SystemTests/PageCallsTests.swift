import LoopIO
import SharedState
import TestSupport
import Testing

/// The page's calls, against a real worker.
@Suite struct PageCallsTests {
  /// A worker's page: where it is, and its token.
  private struct Page {
    let address: String
    let token: String

    init(_ allim: AllimCommand, _ chain: PushChain) async throws {
      let listed = try await allim("workers", "--json")
      let workers = JSONView(listed.text.utf8)?["workers"]?.elements ?? []
      address = try #require(workers.first?["admin"]?.string)
      let file = read(chain.simulator.folder.file("sim/.allim/admin-token")) ?? []
      token = String(decoding: file.prefix { $0 != 10 }, as: UTF8.self)
    }

    func get(_ path: String) async throws -> JSONView {
      try Self.json(await PlainClient.ask(address, "GET", "/api/v1/" + path))
    }

    func post(_ path: String, _ body: String) async -> String {
      await PlainClient.ask(
        address, "POST", "/api/v1/" + path,
        ["Authorization: Bearer \(token)", "Content-Type: application/json"], body: body)
    }

    static func json(_ answer: String) throws -> JSONView {
      try #require(answer.hasPrefix("HTTP/1.1 200 "), "\(answer)")
      let end = try #require(answer.firstRange(of: "\r\n\r\n"))
      return try #require(JSONView(answer[end.upperBound...].utf8))
    }
  }

  @Test(.redis) func `letters are found, counted, retried at a rate and purged`() async throws {
    let server = try redis()
    let allim = AllimCommand(server)
    try await onLoop { loop in
      let chain = try await PushChain(on: loop, server)
      let page = try await Page(allim, chain)
      for number in 0..<30 { try await chain.queue.file(letter(number)) }

      let list = try await page.get("dead?limit=7&text=KIM")
      #expect(list["count"]?.integer == 30 && list["letters"]?.elements.count == 7)
      #expect(list["letters"]?.elements.first?["id"]?.string == "p29")
      let next = try #require(list["next"]?.integer)
      let rest = try await page.get("dead?limit=100&before=\(next)")
      #expect(rest["letters"]?.elements.count == 23 && rest["next"]?.integer == nil)
      #expect(try await page.get("dead?reason=poison")["letters"]?.elements.isEmpty == true)

      let found = try #require(list["letters"]?.elements[1])
      let key = try #require(found["key"]?.string)
      let detail = try await page.get("dead/letter?key=\(key)&position=28")
      #expect(detail["explained"]?.string?.contains("apns-topic: com.example.chat") == true)
      #expect(detail["letter"]?.string?.contains("ec…") == false)
      #expect(detail["letter"]?.string?.contains(Samples.apns("ec128")) == false)
      let one = await page.post("dead/retry", #"{"key":"\#(key)","position":28}"#)
      #expect(try Page.json(one)["done"]?.integer == 1)
      _ = try await chain.accepted(Samples.apns("ec128"))
      let again = await page.post("dead/retry", #"{"key":"\#(key)","position":28}"#)
      #expect(again.hasPrefix("HTTP/1.1 404 "))

      let preview = try await page.get("dead/preview?reason=rejected")
      #expect(preview["retriable"]?.integer == 29 && preview["next"]?.integer == nil)
      let started = await page.post("dead/retry", #"{"limit":20,"rate":1000}"#)
      #expect(try Page.json(started)["task"]?["kind"]?.string == "retry")
      #expect(
        try await eventually(on: loop) {
          try await page.get("dead/task")["task"]?["running"]?.source == "false"
        })
      #expect(try await page.get("dead/task")["task"]?["done"]?.integer == 20)
      for number in 0..<20 { _ = try await chain.accepted(Samples.apns("ec\(number + 100)")) }
      _ = await page.post("dead/purge", #"{"reason":"rejected"}"#)
      #expect(await eventually(on: loop) { await chain.queue.list("dead").isEmpty })
      await chain.stop()
    }
  }

  @Test(.redis) func `what is misspelt or not there changes nothing`() async throws {
    let server = try redis()
    let allim = AllimCommand(server)
    try await onLoop { loop in
      let chain = try await PushChain(on: loop, server)
      let page = try await Page(allim, chain)
      try await chain.queue.file(letter(1))
      for (path, body, status) in [
        ("dead/purge", #"{"reson":"poison"}"#, 400), ("dead/purge", #"{"reason":"posion"}"#, 400),
        ("dead/purge", "[]", 400), ("dead/purge", #"{"older":"soon"}"#, 400),
        ("dead/purge", #"{"queue":"other"}"#, 404), ("dead/retry", #"{"rate":0}"#, 400),
        ("scale", "{}", 400), ("scale", #"{"workers":0}"#, 400),
        ("scale", #"{"workers":2,"instance":"nobody"}"#, 404),
        ("pause", #"{"app":"nobody"}"#, 404), ("invalid/drop", #"{"token":"a"}"#, 400),
      ] {
        let answer = await page.post(path, body)
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(path) \(body): \(answer)")
        #expect(answer.contains("\r\n\r\n{\"error\":\""))
      }
      #expect(await chain.queue.list("dead").count == 1)
      await chain.stop()
    }
  }

  private func letter(_ number: Int) -> String {
    let event = Samples.message("p\(number)", Samples.iphone("ec\(number + 100)"))
    let now = SystemClock().wall()
    return #"{"v":1,"id":"p\#(number)","reason":"rejected","detail":"","app":"chat","#
      + #""takenAt":\#(now),"deadAt":\#(now),"replays":0,"event":\#(event)}"#
  }
}
