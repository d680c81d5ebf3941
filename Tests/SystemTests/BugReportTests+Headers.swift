import PushCrypto
import Testing

// Collapse ids, push types and priorities.
extension BugReportTests {
  private func message(_ id: String, collapseKey: String, _ devices: String...) -> String {
    let fields =
      #""type":"message","message":{"text":"hello"},"collapseKey":"\#(collapseKey)""#
    return #"{"id":"\#(id)",\#(fields),"devices":[\#(devices.joined(separator: ","))]}"#
  }

  private func hash(_ key: String) -> String {
    String(decoding: SHA256.hex([UInt8](key.utf8)).prefix(32), as: UTF8.self)
  }

  @Test func `BR-08 a long collapse id becomes a short one of its own`() async throws {
    try await onChain { chain in
      let common = String(repeating: "x", count: 64)
      let keys = [
        "a": String(repeating: "k", count: 65), "b": String(repeating: "é", count: 33),
        "c": common + "111111", "d": common + "222222", "e": String(repeating: "k", count: 64),
        "f": String(repeating: "é", count: 32),
      ]
      for (tag, key) in keys {
        for run in 1...2 {
          try await chain.queue.push([
            message("br08-\(tag)\(run)", collapseKey: key, Samples.iphone("b08\(tag)\(run)"))
          ])
        }
      }
      for (tag, key) in keys {
        let first = try await chain.accepted(Samples.apns("b08\(tag)1"))
        let second = try await chain.accepted(Samples.apns("b08\(tag)2"))
        let sent = first.header("apns-collapse-id")
        #expect(sent == (key.utf8.count > 64 ? hash(key) : key))
        #expect(second.header("apns-collapse-id") == sent)
        #expect(first.body?["aps", "alert", "body"]?.string == "hello")
      }
    }
  }

  @Test func `BR-08 a collapse id injects no header`() async throws {
    try await onChain { chain in
      try await chain.queue.push([
        message("br08-lf", collapseKey: #"x\napns-priority: 1"#, Samples.iphone("b0801")),
        message("br08-ko", collapseKey: "방 1", Samples.iphone("b0802")),
        Samples.message("br08-no", Samples.iphone("b0803")),
      ])
      let plain = try await chain.accepted(Samples.apns("b0803")).headers.keys
      let injected = try await chain.accepted(Samples.apns("b0801"))
      #expect(injected.header("apns-collapse-id") == hash("x\napns-priority: 1"))
      #expect(injected.headers.keys.filter { $0 != "apns-collapse-id" } == plain)
      #expect(injected.header("apns-priority") == "10")
      let korean = try await chain.accepted(Samples.apns("b0802"))
      #expect(korean.header("apns-collapse-id") == "방 1")
    }
  }

  @Test func `BR-08 no collapse id unless asked; FCM gets it as the tag`() async throws {
    try await onChain { chain in
      let text = #""type":"message","message":{"text":"hello"}"#
      let long = String(repeating: "é", count: 33)
      try await chain.queue.push([
        Samples.event("br08-r1", text + #","room":{"id":1}"#, Samples.iphone("b0811")),
        Samples.event("br08-r2", text + #","room":{"id":2}"#, Samples.iphone("b0812")),
        Samples.event("br08-none", text, Samples.android("b0813")),
        message("br08-tag", collapseKey: long, Samples.android("b0814"), Samples.relayed("b0815")),
      ])
      for tag in ["b0811", "b0812"] {
        let request = try await chain.accepted(Samples.apns(tag))
        #expect(!request.headers.keys.contains("apns-collapse-id"))
      }
      let none = try await chain.accepted(Samples.fcm("b0813")).body?["message", "android"]
      #expect(none?["notification", "tag"] == nil && none?["collapse_key"] == nil)
      let tagged = try await chain.accepted(Samples.fcm("b0814")).body?["message", "android"]
      #expect(tagged?["notification", "tag"]?.string == long)
      let relayed = try await chain.accepted(Samples.fcm("b0815")).body?["message", "apns"]
      #expect(relayed?["headers", "apns-collapse-id"]?.string == hash(long))
    }
  }

  @Test func `BR-10 silent pushes go as background with priority 5, whatever was asked`()
    async throws
  {
    try await onChain { chain in
      let silent = #""type":"sync","contentAvailable":true"#
      let text = #""type":"message","message":{"text":"hello"}"#
      try await chain.queue.push([
        Samples.event("br10-a", silent + #","priority":"high""#, Samples.iphone("b10a")),
        Samples.event("br10-b", silent, Samples.iphone("b10b"), Samples.relayed("b10b")),
        Samples.event("br10-c", text + #","contentAvailable":true"#, Samples.iphone("b10c")),
        Samples.event(
          "br10-d", #""type":"sync","mutableContent":true,"data":{"k":1}"#,
          Samples.iphone("b10d")),
        Samples.event(
          "br10-d2", #""type":"message","mutableContent":true"#, Samples.iphone("b10d2")),
        Samples.event("br10-e", #""type":"sync","badge":3"#, Samples.iphone("b10e")),
        Samples.event(
          "br10-e2", #""type":"sync","badge":3,"priority":"high""#, Samples.iphone("b10e2")),
      ])
      for tag in ["b10a", "b10b"] {
        let request = try await chain.accepted(Samples.apns(tag))
        #expect(request.header("apns-push-type") == "background")
        #expect(request.header("apns-priority") == "5")
        #expect(request.body?["aps"]?.source == #"{"content-available":1}"#)
      }
      let relayed = try await chain.accepted(Samples.fcm("b10b")).body?["message", "apns"]
      #expect(relayed?["headers", "apns-push-type"]?.string == "background")
      #expect(relayed?["headers", "apns-priority"]?.string == "5")
      let shown = try await chain.accepted(Samples.apns("b10c"))
      #expect(shown.header("apns-push-type") == "alert")
      #expect(shown.body?["aps", "content-available"]?.source == "1")
      // Without text the flag does nothing: it is left out, and the rest of the event is sent.
      let changed = try await chain.accepted(Samples.apns("b10d"))
      #expect(changed.header("apns-push-type") == "background")
      #expect(changed.body?["aps", "mutable-content"] == nil)
      #expect(try await chain.letter(of: "br10-d2")["reason"]?.string == "invalid_event")
      for (tag, priority) in [("b10e", "5"), ("b10e2", "10")] {
        let badge = try await chain.accepted(Samples.apns(tag))
        #expect(badge.header("apns-push-type") == "alert")
        #expect(badge.header("apns-priority") == priority)
        #expect(badge.body?["aps"]?.source == #"{"badge":3}"#)
      }
    }
  }
}
