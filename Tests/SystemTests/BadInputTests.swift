import PushCrypto
import Testing

/// What producers push by mistake ends in the dead-letter list with reason and field, and stops
/// nothing else.
@Suite(.chain) struct BadInputTests {
  private struct Mistake {
    let id: String
    let item: String
    let reason: String
    let detail: String
    let names: [String]
  }

  private static let device = Samples.iphone("bad")

  private static let mistakes = [
    Mistake(
      id: "type", item: Samples.event("type", #""title":"x""#, device), reason: "invalid_event",
      detail: "type: required", names: []),
    Mistake(
      id: "app", item: Samples.event("app", #""type":"notice","app":"nobody","title":"x""#, device),
      reason: "unknown_app", detail: #"app: "nobody" is not configured"#,
      names: ["app", "type"]),
    Mistake(
      id: "badge",
      item: Samples.event("badge", #""type":"notice","title":"x","badge":"3""#, device),
      reason: "invalid_event", detail: #"badge: "3""#, names: ["type"]),
    Mistake(
      id: "nope", item: Samples.event("nope", #""type":"nope","title":"x""#, device),
      reason: "unknown_type", detail: #"type: "nope""#, names: ["type"]),
    Mistake(
      id: "version", item: Samples.event("version", #""v":2,"type":"sync""#, device),
      reason: "unsupported_version", detail: "v: 2", names: ["type"]),
    Mistake(
      id: "twice", item: Samples.event("twice", #""type":"sync","type":"notice""#, device),
      reason: "invalid_event", detail: "key \"type\" given twice", names: ["type"]),
    Mistake(
      id: "nobody", item: #"{"id":"nobody","type":"notice","title":"x"}"#, reason: "no_targets",
      detail: "", names: ["type"]),
  ]

  @Test func `events with a mistake are put aside whole, and those around them are delivered`()
    async throws
  {
    try await onChain { chain in
      for (number, mistake) in Self.mistakes.enumerated() {
        try await chain.queue.push([
          Samples.message("good\(number)1", Samples.iphone("bad\(number)1")), mistake.item,
          Samples.message("good\(number)2", Samples.iphone("bad\(number)2")),
        ])
      }
      for (number, mistake) in Self.mistakes.enumerated() {
        let letter = try await chain.letter(of: mistake.id)
        #expect(letter["reason"]?.string == mistake.reason)
        #expect(
          letter["detail"]?.string?.hasPrefix(mistake.detail) == true,
          "\(letter["detail"]?.source ?? "none")")
        #expect(letter["event"]?.source == mistake.item)
        #expect(
          letter.keys == ["v", "id", "reason", "detail"] + mistake.names
            + ["attempts", "takenAt", "deadAt", "worker", "replays", "event"])
        _ = try await chain.accepted(Samples.apns("bad\(number)1"))
        _ = try await chain.accepted(Samples.apns("bad\(number)2"))
      }
      #expect(chain.requests(to: Samples.apns("bad")).isEmpty)
    }
  }

  private static let noObjects = ["not json", "", "null", "[]", "\"text\"", "{} {}", "{\"a\":1"]

  @Test func `items that are no object are put aside as base64`() async throws {
    try await onChain { chain in
      for item in Self.noObjects { try await chain.queue.push(bytes: [UInt8](item.utf8)) }
      try await chain.queue.push([Samples.message("after", Samples.iphone("badf"))])
      for item in Self.noObjects {
        let raw = String(decoding: Base64.encode([UInt8](item.utf8)), as: UTF8.self)
        let letter = try await chain.letter(raw: raw)
        let isJSON = ["null", "[]", "\"text\""].contains(item)
        #expect(letter["reason"]?.string == (isJSON ? "invalid_event" : "invalid_json"))
        #expect(letter["detail"]?.string?.isEmpty == false)
        #expect(letter["id"]?.string?.isEmpty == false)
      }
      _ = try await chain.accepted(Samples.apns("badf"))
    }
  }

  @Test func `a device's mistake stops that device alone`() async throws {
    try await onChain { chain in
      let bad = #"{"platform":"ios","token":"xyz","provider":"apns"}"#
      let event = Samples.event(
        "device", #""type":"notice","title":"x""#, Samples.iphone("bade1"), bad,
        Samples.iphone("bade2"))
      try await chain.queue.push([event])
      let letter = try await chain.letter(of: "device")
      #expect(letter["reason"]?.string == "invalid_event")
      #expect(letter["detail"]?.string == "devices[1].token: not hex")
      #expect(
        letter["event"]?.source
          == Samples.event("device", #""type":"notice","title":"x""#, bad))
      _ = try await chain.accepted(Samples.apns("bade1"))
      _ = try await chain.accepted(Samples.apns("bade2"))
    }
  }
}
