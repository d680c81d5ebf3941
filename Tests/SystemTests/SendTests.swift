import PushCrypto
import TestSupport
import Testing

@Suite struct SendTests {
  static let token = String(repeating: "a1b2", count: 16)
  private let allim = AllimCommand()

  /// A configuration of one app that names a key file and no Redis that answers.
  private func configure(port: Int = 443, caFile: String? = nil) {
    var yaml = """
      redis: {url: "redis://127.0.0.1:1"}
      apps:
        chat:
          apns:
            topic: com.example.chat
            production: {keyFile: key.p8, keyId: ABCDEFGHIJ, teamId: ABCDEFGHIJ}
          fcm: {serviceAccountFile: absent.json, projectId: example-project}

      """
    if let caFile {
      yaml += "endpoints: {apnsProduction: \"127.0.0.1:\(port)\", caFile: \"\(caFile)\"}\n"
    }
    write([UInt8](yaml.utf8), to: allim.folder.file("allim.yaml"))
  }

  @Test func `a server that is not ours gets the push and its answer is shown`() async throws {
    try await onLoop { loop in
      let server = try await Nghttpd(on: loop)
      for folder in ["3", "3/device"] { makeFolder(server.folder.file(folder)) }
      write([], to: server.folder.file("3/device/" + Self.token))
      configure(port: server.port, caFile: server.caFile)
      write(try PrivateKey.makeP256().pem, to: allim.folder.file("key.p8"))
      let ending = try await allim.run(["send", "--token", Self.token, "--title", "Hello"])
      #expect(ending.status == 0, "\(ending.text)")
      #expect(ending.lines.first == "APNs production, 127.0.0.1:\(server.port)")
      #expect(ending.lines.contains("POST https://api.push.apple.com/3/device/a1b2a1…(64)"))
      #expect(ending.lines.contains("authorization: ***"))
      #expect(ending.lines.suffix(2) == ["answer: 200", "verdict: accepted by the provider"])
      let missing = try await allim.run(["send", "--token", "ab12", "--title", "Hello"])
      #expect(missing.status == 1 && missing.lines.contains { $0.hasPrefix("answer: 404") })
    }
  }

  @Test func `the simulator accepts, and a refusal is shown with what a worker makes of it`()
    async throws
  {
    try await onLoop { loop in
      let simulator = try await RunningSimulator(on: loop)
      func send(_ words: String...) async throws -> AllimCommand.Ending {
        try await allim.run(["send", "--config", simulator.configuration] + words)
      }
      let words = ["--title", "Hello", "--badge", "0", "--data", #"{"n":12345678901234567890}"#]
      let accepted = try await allim.run(
        ["send", "--config", simulator.configuration, "--token", Self.token, "--json"] + words)
      #expect(accepted.status == 0, "\(accepted.text)")
      #expect(accepted.lines.count == 1)
      #expect(accepted.text.contains(#""n":12345678901234567890}"#))
      #expect(
        accepted.text.contains(
          #""answer":{"outcome":"answered","status":200,"reason":"","detail":"","name":"","#
            + #""verdict":"accepted"}}"#))
      #expect(simulator.accepted() == [Self.token: 1])
      let gone = try await send("--token", "0410" + Self.token.dropFirst(4), "--body", "x")
      #expect(gone.status == 1)
      #expect(
        gone.lines.suffix(2) == [
          "answer: 410 Unregistered",
          "verdict: the token is dead; a worker reports it for removal",
        ])
      let android = try await send("--token", "fInv1:APA91bINVENTED0001", "--body", "x")
      #expect(android.status == 0, "\(android.text)")
      #expect(android.lines.contains { $0.hasPrefix("name: projects/") })
      await simulator.stop()
    }
  }

  @Test func `a dry run shows the request and needs neither network nor keys`() async throws {
    configure()
    let ending = try await allim.run(
      ["send", "--fid", "epeBEsobvcr6wjGzmiPcTa", "--body", "Hello", "--dry-run", "--ttl", "60"])
    #expect(ending.status == 0)
    #expect(
      ending.lines == [
        "FCM, fcm.googleapis.com:443",
        "POST https://fcm.googleapis.com/v1/projects/example-project/messages:send",
        "content-type: application/json", "authorization: ***", "", "{", #"  "message": {"#,
        #"    "fid": "epeBEs…(22)","#, #"    "notification": {"body": "Hello"},"#,
        #"    "data": {"type": "notice"},"#,
        #"    "android": {"priority": "NORMAL", "ttl": "60s", "notification": {"sound": "default"}}"#,
        "  }", "}", "", "15 of 4096 bytes",
      ])
    let keyless = try await allim.run(["send", "--token", Self.token, "--body", "Hello"])
    #expect(keyless.status == 2)
    #expect(keyless.text.contains("apps.chat.apns.production.keyFile"))
  }

  @Test func `a provider that cannot be reached is said to be so`() async throws {
    configure(port: 1, caFile: "ca.pem")
    write(try CertificateAuthority().certificatePEM, to: allim.folder.file("ca.pem"))
    write(try PrivateKey.makeP256().pem, to: allim.folder.file("key.p8"))
    let ending = try await allim.run(["send", "--token", Self.token, "--body", "Hello"])
    #expect(ending.status == 1)
    #expect(ending.lines.last?.hasPrefix("not sent: ") == true, "\(ending.text)")
  }

  @Test(arguments: [
    (["--title", "x"], "one of --token and --fid is needed"),
    (["--token", "ab", "--fid", "cd"], "not both"),
    (["--token", "ab", "--titel", "x"], #"unknown option "--titel", did you mean "--title"?"#),
    (["--token", "abc", "--title", "x"], "odd number of hex digits"),
    (["--token", "ab", "--title", "x", "--platform", "tv"], "allowed: ios, ipados"),
    (["--token", "ab", "--title", "x", "--data", "[]"], "--data is not a JSON object"),
    (["--token", "ab", "--title", "x", "--app", "chatt"], "unknown_app: app: \"chatt\""),
    (["--token", "ab", "--title", "x", "--priority", "top"], "none of high, normal, low"),
  ])
  func `wrong use ends with 2 and sends nothing`(words: [String], part: String) async throws {
    configure()
    let ending = try await allim.run(["send"] + words)
    #expect(ending.status == 2)
    #expect(ending.lines.count == 1 && ending.text.contains(part), "\(ending.text)")
  }
}
