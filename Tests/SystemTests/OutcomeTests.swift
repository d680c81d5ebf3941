import SharedState
import TestSupport
import Testing

private let refusals = """
  [{"match": {"tokenPrefix": "dead410"},
    "respond": {"status": 410, "reason": "Unregistered", "timestamp": 1764000000001}},
   {"match": {"tokenPrefix": "dead400"}, "respond": {"status": 400, "reason": "PayloadEmpty"}}]
  """

/// What a provider's no leaves in Redis (EVENTS.md 2 and 3), field by field.
@Suite(.chain(rules: refusals)) struct OutcomeTests {
  private var now: Int64 { SystemClock().wall() }

  @Test func `only the devices that failed are tried again`() async throws {
    try await onChain { chain in
      let slow = "05032" + String(repeating: "c", count: 59)
      let event = Samples.message(
        "subset", Samples.iphone("d01"), #"{"platform":"ios","token":"\#(slow)"}"#,
        Samples.iphone("d02"))
      try await chain.queue.push([event])
      let tries = try await chain.requests(to: slow, count: 3)
      #expect(tries.map(\.status) == [503, 503, 200])
      #expect(Set(tries.map { $0.body?.source }).count == 1)
      _ = try await chain.accepted(Samples.apns("d01"))
      _ = try await chain.accepted(Samples.apns("d02"))
    }
  }

  // MARK: Invalid tokens

  private func record(of token: String, _ chain: PushChain) async throws -> JSONView {
    var found: [JSONView] = []
    _ = await eventually(on: chain.loop) {
      found = await chain.queue.list("invalid").compactMap { JSONView($0) }
        .filter { $0["token"]?.string == token }
      return !found.isEmpty
    }
    #expect(found.count == 1)
    return try #require(found.first)
  }

  @Test func `a dead token is reported with all that names it`() async throws {
    let before = now
    try await onChain { chain in
      let token = Samples.apns("dead4101")
      let device =
        #"{"platform":"ipados","token":"\#(token)","id":"d1","#
        + #""registeredAt":1764000000000}"#
      try await chain.queue.push([
        #"{"id":"gone","type":"message","message":{"text":"x"},"user":"u1","devices":[\#(device)]}"#
      ])
      let record = try await record(of: token, chain)
      let observed = try #require(record["observedAt"]?.integer)
      #expect(observed >= before && observed <= now)
      #expect(
        record.source == #"{"v":1,"kind":"device","token":"\#(token)","provider":"apns","#
          + #""app":"chat","platform":"ipados","environment":"production","#
          + #""apnsTopic":"com.example.chat","user":"u1","deviceId":"d1","#
          + #""reason":"Unregistered","unregisteredAt":1764000000001,"#
          + #""registeredAt":1764000000000,"observedAt":\#(observed),"event":"gone"}"#)
      #expect(chain.requests(to: token).map(\.status) == [410])
    }
  }

  @Test func `the record names the kind of token that is dead`() async throws {
    try await onChain { chain in
      let voip = "0410" + String(repeating: "b", count: 60)
      let fcm = Samples.fcm("UNREGISTERED1")
      try await chain.queue.push([
        Samples.event(
          "call", #""type":"call","sender":{"name":"Kim"}"#,
          #"{"platform":"ios","token":"\#(Samples.apns("d03"))","voipToken":"\#(voip)"}"#),
        Samples.message("fcm", #"{"platform":"android","token":"\#(fcm)"}"#),
      ])
      let called = try await record(of: voip, chain)
      #expect(called["kind"]?.string == "voip")
      #expect(called["event"]?.string == "call")
      let android = try await record(of: fcm, chain)
      #expect(
        android.keys == [
          "v", "kind", "token", "provider", "app", "platform", "reason", "observedAt", "event",
        ])
      #expect(android["kind"]?.string == "device")
      #expect(android["reason"]?.string == "UNREGISTERED")
    }
  }

  @Test func `a token that was registered again is tried once more, then filed`() async throws {
    try await onChain { chain in
      let token = Samples.apns("dead4102")
      let device =
        #"{"platform":"ios","token":"\#(token)","registeredAt":1764000000002}"#
      try await chain.queue.push([Samples.message("again", device)])
      let letter = try await chain.letter(of: "again")
      #expect(letter["reason"]?.string == "rejected")
      #expect(letter["providerReason"]?.string == "Unregistered")
      #expect(letter["attempts"]?.integer == 2)
      #expect(chain.requests(to: token).map(\.status) == [410, 410])
      let records = await chain.queue.list("invalid").compactMap { JSONView($0)?["token"]?.string }
      #expect(!records.contains(token))
    }
  }

  // MARK: Dead letters

  @Test func `a letter holds the event with the refused devices alone`() async throws {
    let before = now
    try await onChain { chain in
      let (first, last) = (Samples.apns("dead4001"), Samples.apns("dead4002"))
      let head = #"{ "id" : "no", "type":"notice",  "title": "\u00e9\/", "data":{"n":1.0,"m" :[]},"#
      let tail = #", "x":1e3 } "#
      let event =
        head + #" "devices":[{"platform":"ios","token":"\#(first)"},"#
        + Samples.iphone("d04") + "," + #"{"platform":"ios","token":"\#(last)"}]"# + tail
      try await chain.queue.push([event])
      let letter = try await chain.letter(of: "no")
      _ = try await chain.accepted(Samples.apns("d04"))
      #expect(
        letter.keys == [
          "v", "id", "reason", "detail", "provider", "status", "providerReason", "app", "type",
          "attempts", "takenAt", "deadAt", "worker", "replays", "event",
        ])
      let expected = [
        "v": "1", "id": #""no""#, "reason": #""rejected""#, "provider": #""apns""#,
        "status": "400", "providerReason": #""PayloadEmpty""#, "app": #""chat""#,
        "type": #""notice""#, "attempts": "1", "replays": "0",
      ]
      for (name, value) in expected { #expect(letter[name]?.source == value, "\(name)") }
      let taken = try #require(letter["takenAt"]?.integer)
      let dead = try #require(letter["deadAt"]?.integer)
      #expect(before <= taken && taken <= dead && dead <= now)
      #expect(letter["worker"]?.string == (await chain.queue.instances()).first)
      let kept = try #require(letter["event"]?.source)
      #expect(kept.hasPrefix(head) && (kept + " ").hasSuffix(tail))
      #expect(
        letter["event", "devices"]?.elements.map(\.source)
          == [first, last].map { #"{"platform":"ios","token":"\#($0)"}"# })
    }
  }
}
