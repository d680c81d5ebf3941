import TestSupport
import Testing

@Suite struct ExplainTests {
  private static let token = String(repeating: "a1b2", count: 16)
  private static let note =
    #"allim: no configuration was found; an app "chat" with both providers is assumed"#
  private let allim = AllimCommand()

  private func explain(_ input: String, _ words: String...) async throws -> AllimCommand.Ending {
    try await allim.run(["explain", "--now", "1764489600"] + words, input: input)
  }

  @Test func `an event over many lines is shown as the request it becomes`() async throws {
    let ending = try await explain(
      """
      {
        "id": "e1", "type": "message", "future": 1,
        "room": {"id": 42, "name": "Lunch"}, "sender": {"name": "Mina"},
        "message": {"text": "Noodles?"}, "collapseKey": "\(String(repeating: "k", count: 65))",
        "recipients": [{"user": "u1", "devices": [{"platform": "ios", "token": "\(Self.token)"}]}]
      }
      """)
    #expect(ending.status == 0)
    #expect(
      ending.lines == [
        "event e1: message, app chat",
        "  sentAt 2025-11-30T08:00:00.000Z, expiresAt 2025-12-01T08:00:00.000Z",
        "  from the type: ttl 86400, priority high, pushType alert, title {room.name},",
        "    body {sender.name}: {message.text}, category message, sound default",
        "  from the app: app chat", "  from other fields: threadId room.id",
        "  made at the first take: sentAt", "  unknown fields, ignored: 1", "",
        "# recipients[0].devices[0]: user u1, ios, a1b2a1…(64)",
        "APNs production, api.push.apple.com:443",
        "POST https://api.push.apple.com/3/device/a1b2a1…(64)", "authorization: ***",
        "apns-topic: com.example.chat", "apns-push-type: alert",
        "apns-id: 088d9177-4f31-5ebd-9b72-6cb222e5857d", "apns-priority: 10",
        "apns-expiration: 1764576000", "apns-collapse-id: f39cdc2584758c99cf81c1f41d2572f5", "",
        "{", #"  "aps": {"#, #"    "alert": {"title": "Lunch", "body": "Mina: Noodles?"},"#,
        #"    "sound": "default","#, #"    "thread-id": "42","#, #"    "category": "message""#,
        "  },", #"  "type": "chat","#, #"  "chatRoomId": 42,"#, #"  "senderName": "Mina""#, "}",
        "", "165 of 4096 bytes", "note: collapse id replaced by its hash", Self.note,
      ])
  }

  @Test func `faults are told device by device, and the exit code is 1`() async throws {
    let ending = try await explain(
      #"{"id":"a","type":"notice","title":"T","devices":[{"platform":"ios","token":"xyz","#
        + #""provider":"apns"},{"platform":"android","fid":"epeBEsobvcr6wjGzmiPcTa"}]}"# + "\n"
        + #"{"id":"b","type":"notice","title":"T","badge":"3","devices":[]}"# + "\n"
        + #"{"id":"c","type":"notice","title":"T","sentAt":1700000000,"topic":"news"}"# + "\n"
        + "nothing\n")
    #expect(ending.status == 1)
    for line in [
      "dead letter invalid_event: devices[0].token: not hex",
      #"    "fid": "epeBEs…(22)","#, "event b: notice, app unknown",
      "  dead letter invalid_event: badge: \"3\" is not an integer from 0 to 2147483647",
      "# topic: news", "expired: nothing is sent, a dead letter is filed",
      "  dead letter invalid_json: unexpected byte at byte 0",
    ] {
      #expect(ending.lines.contains(line), "\(line) is not in \(ending.text)")
    }
  }

  @Test func `a text too long is shortened, and the bytes are counted`() async throws {
    let long = String(repeating: "가", count: 2_000)
    let ending = try await explain(
      #"{"type":"notice","title":"T","body":"\#(long)","devices":[{"platform":"ios","token":"ab"}]}"#
    )
    #expect(ending.status == 0)
    #expect(ending.lines.contains("note: body shortened to fit"))
    #expect(ending.lines.contains { $0.hasSuffix("of 4096 bytes") })
  }

  @Test func `programs get one object with whole tokens and no bearer`() async throws {
    let ending = try await explain(
      #"{"id":"e","type":"sync","devices":[{"platform":"ios","token":"\#(Self.token)"}]}"#, "--json"
    )
    #expect(ending.status == 0)
    #expect(ending.lines.count == 1)
    for part in [
      #"{"events":[{"id":"e","type":"sync","app":"chat","sentAt":1764489600,"#,
      #"{"field":"priority","value":"normal","source":"type"}"#,
      #""url":"https://api.push.apple.com/3/device/\#(Self.token)""#, #""authorization":"***""#,
      #""body":{"aps":{"content-available":1},"type":"sync"},"bytes":45,"limit":4096,"notes":[]}"#,
      #""fault":null"#,
    ] {
      #expect(ending.text.contains(part), "\(part) is not in \(ending.text)")
    }
  }

  @Test func `a configuration decides, also when its key files are not there`() async throws {
    let yaml = """
      redis: {url: "redis://127.0.0.1:1"}
      apps:
        meals:
          apns:
            topic: com.example.meals
            production: {keyFile: absent.p8, keyId: ABCDEFGHIJ, teamId: ABCDEFGHIJ}
          channels: {menu: {sound: none}}
      types:
        promo: {pushType: alert, priority: low, ttl: 60, title: "{room.name}!", category: promo}

      """
    write([UInt8](yaml.utf8), to: allim.folder.file("allim.yaml"))
    let ending = try await explain(
      #"{"type":"promo","room":{"name":"R"},"channel":"menu","devices":[{"platform":"ios","#
        + #""token":"ab"},{"platform":"android","token":"x:y"}]}"#)
    #expect(ending.status == 1)
    for line in [
      "  from the type: ttl 60, priority low, pushType alert, title {room.name}!, category promo",
      "  from the app: app meals, sound none, style notification", "apns-topic: com.example.meals",
      "apns-priority: 1", "dead letter no_credential: devices[1]: the app has no FCM credential",
    ] {
      #expect(ending.lines.contains(line), "\(line) is not in \(ending.text)")
    }
    #expect(!ending.text.contains(Self.note))
  }

  @Test func `no event at all and a wrong moment are wrong use`() async throws {
    #expect(try await explain("\n \n").lines == ["allim: stdin: no event"])
    let wrong = try await allim.run(["explain", "--now", "5"])
    #expect(wrong.status == 2 && wrong.text.contains("allowed: 1000000000 to"))
  }
}

@Suite(.chain) struct ExplainedRequestTests {
  @Test func `what is shown is what a worker sends`() async throws {
    try await onChain { chain in
      // With an end of its own nothing in it depends on the moment of the attempt.
      let event = Samples.event(
        "explained",
        #""type":"message","sentAt":1764489600,"expiresAt":4000000000,"badge":0,"#
          + #""room":{"id":1,"name":"R"},"sender":{"name":"S"},"message":{"text":"t \u00e9"},"#
          + #""data":{"n":1.50},"collapseKey":"k""#,
        Samples.iphone("e1"), Samples.relayed("e2"))
      let shown = try await AllimCommand().run(
        ["explain", "--json", "--config", chain.simulator.configuration], input: event)
      #expect(shown.status == 0, "\(shown.text)")
      let targets = try #require(JSONView(shown.text.utf8)?["events", "0", "targets"]).elements
      try await chain.queue.push([event])
      for (target, token) in zip(targets, [Samples.apns("e1"), Samples.fcm("e2")]) {
        let sent = try await chain.accepted(token)
        let request = try #require(target["request"])
        #expect(request["body"]?.source == sent.body?.source)
        let headers = try #require(request["headers"])
        #expect(headers.keys.filter { $0 != "authorization" } == sent.ownHeaders)
        for name in sent.ownHeaders { #expect(headers[name]?.string == sent.header(name)) }
        let url = try #require(sent.header(":path"))
        #expect(request["url"]?.string?.hasSuffix(url) == true)
      }
    }
  }
}

extension RecordedRequest {
  /// Without pseudo headers, the bearer and what the connection adds.
  fileprivate var ownHeaders: [String] {
    headers.keys.filter { !$0.hasPrefix(":") && !["authorization", "content-length"].contains($0) }
  }
}
