import Testing

// Numbers, flags and custom data.
extension BugReportTests {
  @Test func `BR-05 badge 0 reaches the phone; false flags send no key`() async throws {
    try await onChain { chain in
      let text = #""type":"message","message":{"text":"hello"}"#
      try await chain.queue.push([
        Samples.event("br05-a", #""type":"read","badge":0"#, Samples.iphone("b05a")),
        Samples.event("br05-b", text, Samples.iphone("b05b")),
        Samples.event("br05-c", text + #","badge":-1"#, Samples.iphone("b05c")),
        Samples.event("br05-d", text + #","badge":"3""#, Samples.iphone("b05d")),
        Samples.event(
          "br05-e", text + #","contentAvailable":false,"mutableContent":false"#,
          Samples.iphone("b05e")),
        Samples.event("br05-f", text + #","badge":0"#, Samples.android("b05f")),
        Samples.event("br05-g", #""type":"read","badge":0"#, Samples.relayed("b05a")),
        Samples.event("br05-h", text + #","badge":7"#, Samples.iphone("b05f")),
      ])
      let cleared = try await chain.accepted(Samples.apns("b05a"))
      #expect(cleared.body?["aps", "badge"]?.source == "0")
      #expect(cleared.header("apns-push-type") == "alert")
      let plain = try await chain.accepted(Samples.apns("b05b"))
      #expect(plain.body?["aps"]?.keys.contains("badge") == false)
      for id in ["br05-c", "br05-d"] {
        let letter = try await chain.letter(of: id)
        #expect(letter["reason"]?.string == "invalid_event")
        #expect(letter["detail"]?.string?.hasPrefix("badge: ") == true)
      }
      let unflagged = try await chain.accepted(Samples.apns("b05e"))
      let keys = unflagged.body?["aps"]?.keys ?? []
      #expect(keys.contains("alert"))
      #expect(!keys.contains("content-available") && !keys.contains("mutable-content"))
      let android = try await chain.accepted(Samples.fcm("b05f")).body?["message", "android"]
      #expect(android?["notification", "notification_count"]?.source == "0")
      let relayed = try await chain.accepted(Samples.fcm("b05a")).body?["message", "apns"]
      #expect(relayed?["payload", "aps", "badge"]?.source == "0")
      #expect(
        try await chain.accepted(Samples.apns("b05f")).body?["aps", "badge"]?.source == "7")
    }
  }

  private static let mixed = [
    ("count", "1", "1"), ("ok", "true", "true"), ("ratio", "1.5", "1.5"),
    ("big", "9007199254740993", "9007199254740993"), ("none", "null", nil),
    ("room", #"{"id":"r1","tags":["a"]}"#, #"{"id":"r1","tags":["a"]}"#), ("s", #""x""#, "x"),
  ]

  private func data(_ values: [(name: String, value: String, text: String?)]) -> String {
    let members = values.map { "\"\($0.name)\":\($0.value)" }
    return "{" + members.joined(separator: ",") + "}"
  }

  @Test func `BR-06 FCM gets strings, APNs the values themselves`() async throws {
    try await onChain { chain in
      let fields = #""type":"sync","data":"# + data(Self.mixed)
      try await chain.queue.push([
        Samples.event(
          "br06", fields, Samples.android("b06a"), Samples.iphone("b06a"),
          Samples.relayed("b06b")),
        #"{"id":"br06-topic",\#(fields),"topic":"br06"}"#,
        // The producer's own block of Google's form is checked by Google's rules.
        Samples.event(
          "br06-block", #""type":"sync","fcm":{"android":{"data":{"count":1}}}"#,
          Samples.android("b06c")),
      ])
      for target in [Samples.fcm("b06a"), Samples.fcm("b06b"), "br06"] {
        let sent = try await chain.accepted(target).body?["message", "data"]
        for (name, _, text) in Self.mixed {
          #expect(sent?[name]?.string == text, "\(target) \(name)")
          if text == nil { #expect(sent?.keys.contains(name) == false) }
        }
      }
      let native = try await chain.accepted(Samples.apns("b06a")).body
      for (name, value, _) in Self.mixed { #expect(native?[name]?.source == value) }
      let letter = try await chain.letter(of: "br06-block")
      #expect(letter["reason"]?.string == "invalid_event")
      #expect(letter["detail"]?.string?.hasPrefix("fcm.android.data") == true)
    }
  }

  private static let exact: [(name: String, value: String, text: String?)] = [
    ("id", "1000000000000000001"), ("u", "18446744073709551615"),
    ("over", "18446744073709551616"), ("neg", "-9223372036854775808"),
    ("p53", "9007199254740993"), ("t", "true"), ("f", "false"), ("one", "1"), ("zero", "0"),
    ("d", "1.0"), ("e", "1e3"), ("price", "0.1"),
  ].map { ($0.0, $0.1, $0.1) }

  @Test func `BR-12 custom data keeps every digit, also after waiting in Redis`() async throws {
    try await onChain { chain in
      // The simulator answers a token of this kind with 503 twice.
      let token = "05032b12" + String(repeating: "a", count: 56)
      let fields = #""type":"message","message":{"text":"hello"},"data":"# + data(Self.exact)
      try await chain.queue.push([
        Samples.event(
          "br12", fields, #"{"platform":"ios","token":"\#(token)"}"#, Samples.android("b12a"))
      ])
      let strings = try await chain.accepted(Samples.fcm("b12a")).body?["message", "data"]
      for (name, _, text) in Self.exact { #expect(strings?[name]?.string == text) }
      let tries = try await chain.requests(to: token, count: 3)
      #expect(tries.map(\.status) == [503, 503, 200])
      #expect(Set(tries.map { $0.header("apns-id") }).count == 1)
      for request in tries {
        for (name, value, _) in Self.exact {
          #expect(request.body?[name]?.source == value, "\(name)")
        }
      }
    }
  }
}
