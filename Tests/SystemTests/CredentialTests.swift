import LoopIO
import TestSupport
import Testing

/// Keys, clocks and what FCM's answers mean: reported faults of other senders against the real
/// worker, a real Redis and the simulator.
@Suite struct CredentialTests {
  /// What a test works with; ended without waiting for what is left to do.
  private final class Stage {
    let loop: Loop
    let queue: TestQueue
    let simulator: RunningSimulator
    let server: RedisServer
    var worker: RunningWorker?
    private var recording: Recording

    init(
      on loop: Loop, _ server: RedisServer, rules: String = "[]", _ arguments: [String] = []
    ) async throws {
      self.loop = loop
      self.server = server
      queue = try await TestQueue(on: loop, server.url)
      simulator = try await RunningSimulator(on: loop, rules: rules, arguments)
      recording = Recording(path: simulator.record)
    }

    func startWorker(_ configuration: String? = nil, _ settings: [String] = []) throws {
      worker = try RunningWorker(
        on: loop, configuration: configuration ?? simulator.configuration,
        redis: "unix://\(server.socket)", settings: settings)
    }

    var requests: [RecordedRequest] {
      recording.refresh()
      return recording.requests
    }

    func requests(to target: String) -> [RecordedRequest] {
      requests.filter { $0.target == target }
    }

    /// The configuration's part that leads to the simulator.
    var endpoints: String {
      let text = String(decoding: read(simulator.configuration) ?? [], as: UTF8.self)
      return text.firstRange(of: "endpoints:").map { String(text[$0.lowerBound...]) } ?? ""
    }

    func configure(_ apps: String) -> String {
      let path = simulator.folder.file("sim/own.yaml")
      write(Array((apps + endpoints).utf8), to: path)
      return path
    }

    func end() async {
      await worker?.kill()
      await simulator.stop()
    }
  }

  private func onStage(
    rules: String = "[]", _ arguments: [String] = [],
    _ body: @escaping @Sendable (Stage) async throws -> Void
  ) async throws {
    let server = try await RedisServer()
    try await onLoop { loop in
      let stage = try await Stage(on: loop, server, rules: rules, arguments)
      try await body(stage)
      await stage.end()
    }
    await server.stop()
  }

  private static func bearers(_ requests: [RecordedRequest]) -> Set<String> {
    Set(requests.compactMap { $0.header("authorization") })
  }

  // MARK: BR-24

  @Test func `BR-24 one bearer serves two apps on four connections each`() async throws {
    let topics = ["com.example.chat", "com.example.work"].flatMap { ["--topic", $0] }
    try await onStage(["--strict-streams"] + topics) { stage in
      let apps = ["chat", "work"].map { app in
        """
          \(app):
            apns:
              topic: com.example.\(app)
              production: {keyFile: AuthKey_SIMKEY0001.p8, keyId: SIMKEY0001, teamId: SIMTEAM001}
              connections: {min: 4, max: 4}

        """
      }
      try stage.startWorker(
        stage.configure("apps:\n" + apps.joined()), ["ALLIM_WORKERS=8", "ALLIM_THREADS=2"])
      try await stage.queue.push(
        (0..<500).map { number in
          let digits = String(number)
          let device = Samples.iphone("b24" + String(repeating: "0", count: 4) + digits)
          let app = number.isMultiple(of: 2) ? "chat" : "work"
          return Samples.event(
            "br24-\(number)", #""type":"notice","title":"t","body":"b","app":"\#(app)""#, device)
        })
      #expect(
        await eventually(on: stage.loop) {
          stage.requests.count(where: { $0.status == 200 }) == 500
        })
      let requests = stage.requests
      #expect(requests.count == 500)
      #expect(Set(requests.compactMap { $0.header("apns-topic") }).count == 2)
      #expect(Self.bearers(requests).count == 1)
    }
  }

  // MARK: BR-26

  @Test(arguments: [65 * 60, -65 * 60])
  func `BR-26 a wrong clock makes few bearers, loses nothing and heals`(offset: Int) async throws {
    try await onStage { stage in
      await stage.simulator.setClock(offset)
      try stage.startWorker(nil, ["ALLIM_BREAKER_PROBE_MAX=1s"])
      let tokens = (0..<5).map { Samples.apns("b26\($0)") } + [Samples.fcm("b26")]
      try await stage.queue.push(
        (0..<5).map { Samples.message("br26-\($0)", Samples.iphone("b26\($0)")) }
          + [Samples.message("br26-fcm", Samples.android("b26"))])
      #expect(
        await eventually(on: stage.loop) {
          stage.requests.count(where: { $0.provider == "apns" && $0.status == 403 }) >= 3
        })
      let refused = stage.requests
      #expect(refused.allSatisfy { $0.status != 200 })
      // The breaker lets one through after each pause, not every push again and again.
      #expect(refused.count < 30)
      await stage.simulator.setClock(0)
      #expect(
        await eventually(on: stage.loop) {
          let good = Set(stage.requests.filter { $0.status == 200 }.map(\.target))
          return tokens.allSatisfy { good.contains($0) }
        })
      #expect(Self.bearers(stage.requests.filter { $0.provider == "apns" }).count <= 2)
      #expect(await stage.queue.letters().isEmpty)
      #expect(await stage.queue.list("invalid").isEmpty)
    }
  }

  // MARK: BR-27

  private static func keys(_ sound: String) -> [(name: String, text: String)] {
    let body = sound.split(separator: "\n").dropFirst().dropLast().joined()
    return [
      ("a", sound.replacing("\n", with: "\r\n")), ("b", String(sound.dropLast())),
      ("c", "-----BEGIN PRIVATE KEY-----\n\(body)\n-----END PRIVATE KEY-----\n"),
      ("d", sound.replacing("\n", with: "\\n")), ("e", sound.replacing("\n", with: " ")),
      ("f", "\u{FEFF}\n\n" + sound), ("g", "\"" + sound + "\""),
    ]
  }

  /// In the file a line break of the key is the two characters `\n`.
  private static func accounts(_ sound: String) -> [(name: String, text: String)] {
    let lastBreak = #"-----END PRIVATE KEY-----\n""#
    return [
      ("a", sound.replacing("\\n", with: "\\r\\n")),
      ("b", sound.replacing(lastBreak, with: #"-----END PRIVATE KEY-----""#)),
      ("c", sound.replacing("\\n", with: "")), ("d", sound.replacing("\\n", with: "\\\\n")),
      ("e", sound.replacing("\\n", with: " ")), ("f", "\u{FEFF}\n\n" + sound),
      ("g", sound.replacing(lastBreak, with: #"-----END PRIVATE KEY-----\""# + "\"")),
      ("i", sound.replacing("\\n", with: "\\\\\\\\n")),
    ]
  }

  @Test func `BR-27 keys with mangled line breaks deliver`() async throws {
    try await onStage(["--topic", "com.example.chat"]) { stage in
      let folder = stage.simulator.folder
      func text(_ name: String) -> String {
        String(decoding: read(folder.file("sim/\(name)")) ?? [], as: UTF8.self)
      }
      var apps = "apps:\n"
      for (name, key) in Self.keys(text("AuthKey_SIMKEY0001.p8")) {
        write(Array(key.utf8), to: folder.file("sim/\(name).p8"))
        apps += """
            p8\(name):
              apns:
                topic: com.example.chat
                production: {keyFile: \(name).p8, keyId: SIMKEY0001, teamId: SIMTEAM001}

          """
      }
      for (name, account) in Self.accounts(text("service-account.json")) {
        write(Array(account.utf8), to: folder.file("sim/\(name).json"))
        apps += "  json\(name):\n    fcm: {serviceAccountFile: \(name).json}\n"
      }
      try stage.startWorker(stage.configure(apps))
      var targets: [String] = []
      for name in ["a", "b", "c", "d", "e", "f", "g"] {
        targets.append(Samples.apns("b27\(name == "g" ? "0" : name)"))
        try await stage.queue.push([
          Samples.event(
            "br27-p8\(name)", #""type":"notice","title":"t","app":"p8\#(name)""#,
            #"{"platform":"ios","token":"\#(targets[targets.count - 1])"}"#)
        ])
      }
      for name in ["a", "b", "c", "d", "e", "f", "g", "i"] {
        targets.append(Samples.fcm("b27\(name)"))
        try await stage.queue.push([
          Samples.event(
            "br27-json\(name)", #""type":"notice","title":"t","app":"json\#(name)""#,
            Samples.android("b27\(name)"))
        ])
      }
      let all = targets
      #expect(
        await eventually(on: stage.loop) {
          let reached = Set(stage.requests.map(\.target))
          return all.allSatisfy { reached.contains($0) }
        })
      for target in targets {
        #expect(stage.requests(to: target).map(\.status) == [200], "\(target)")
      }
    }
  }

  @Test func `BR-27 what cannot be read is refused at the start, by file and field`() async throws {
    try await onStage { stage in
      let folder = stage.simulator.folder
      let file = read(folder.file("sim/service-account.json")) ?? []
      let sound = String(decoding: file, as: UTF8.self)
      write(Array(sound.replacing("\\n", with: "\n").utf8), to: folder.file("sim/h.json"))
      let locked = ["BEGIN", "END"].map { "-----\($0) ENCRYPTED PRIVATE KEY-----\n" }
      write(Array(locked.joined(separator: "MIHs\n").utf8), to: folder.file("sim/locked.p8"))
      let configuration = stage.configure(
        """
        apps:
          chat:
            apns:
              topic: com.example.chat
              production: {keyFile: locked.p8, keyId: SIMKEY0001, teamId: SIMTEAM001}
            fcm: {serviceAccountFile: h.json}

        """)
      let ending = try await AllimCommand().run(
        ["run", "--config", configuration, "--redis", "unix://\(stage.server.socket)"])
      #expect(ending.status == 2)
      let text = ending.text
      #expect(text.contains("apps.chat.apns.production.keyFile") && text.contains("locked.p8"))
      #expect(text.contains("encrypted"))
      #expect(text.contains("apps.chat.fcm.serviceAccountFile") && text.contains("h.json"))
      #expect(!text.contains("MII") && !text.contains("MIHs"))
    }
  }

  // MARK: BR-30

  /// Answers by the token's last letter.
  private static let answers: [(letter: String, times: Int?, respond: String)] = [
    ("b", 1, #"{"status":404,"body":"<!DOCTYPE html><html><title>Error 404</title></html>"}"#),
    ("c", 1, answer(404, "NOT_FOUND", "Requested entity was not found.")),
    (
      "d", nil,
      answer(
        400, "INVALID_ARGUMENT", "The registration token is not a valid FCM registration token",
        fcm: "INVALID_ARGUMENT")
    ),
    ("e", nil, violation("message.data[0].value")), ("f", nil, violation("message.token")),
    (
      "g", nil,
      answer(403, "PERMISSION_DENIED", "SenderId mismatch", fcm: "SENDER_ID_MISMATCH")
    ),
    ("h", 1, answer(403, "PERMISSION_DENIED", "API has not been used in project 1 before")),
    ("i", 1, #"{"status":502,"body":"<html><h1>502 Bad Gateway</h1></html>"}"#),
    ("j", nil, #"{"status":200,"body":""}"#),
    (
      "k", nil,
      answer(401, "UNAUTHENTICATED", "Auth error from APNS", fcm: "THIRD_PARTY_AUTH_ERROR")
    ),
  ]

  private static func answer(
    _ status: Int, _ rpc: String, _ message: String, fcm: String? = nil
  ) -> String {
    let details = fcm.map {
      #","details":[{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","#
        + #""errorCode":"\#($0)"}]"#
    }
    return respond(
      status,
      #"{"error":{"code":\#(status),"message":"\#(message)","status":"\#(rpc)"\#(details ?? "")}}"#)
  }

  /// With FCM's own code: without it the whole request is malformed, which condemns no token.
  private static func violation(_ field: String) -> String {
    respond(
      400,
      #"{"error":{"code":400,"message":"Invalid value","status":"INVALID_ARGUMENT","details":["#
        + #"{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","#
        + #""errorCode":"INVALID_ARGUMENT"},"#
        + #"{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":["#
        + #"{"field":"\#(field)","description":"Invalid value"}]}]}}"#)
  }

  private static func respond(_ status: Int, _ body: String) -> String {
    let escaped = body.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    return #"{"status":\#(status),"body":"\#(escaped)"}"#
  }

  private static func token(_ letter: String) -> String {
    letter == "a" ? "br30:UNREGISTERED" : "br30:APA91b-\(letter)"
  }

  private static var rules: String {
    let rules = answers.map { letter, times, respond in
      #"{"match":{"provider":"fcm","token":"\#(token(letter))"},"respond":\#(respond)"#
        + (times.map { #","times":\#($0)"# } ?? "") + "}"
    }
    return "[" + rules.joined(separator: ",") + "]"
  }

  @Test func `BR-30 only what is proof condemns a token`() async throws {
    try await onStage(rules: Self.rules) { stage in
      try stage.startWorker(
        nil, ["ALLIM_RETRY_FCM_BASE=1s", "ALLIM_BREAKER_PROBE_MAX=1s"])
      let letters = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"]
      try await stage.queue.push(
        letters.map { letter in
          // Only this one is about Apple devices, which then rest.
          let platform = letter == "k" ? "ios" : "android"
          return Samples.event(
            "br30-\(letter)", #""type":"notice","title":"t","body":"b""#,
            #"{"platform":"\#(platform)","provider":"fcm","token":"\#(Self.token(letter))"}"#)
        })
      var fedBack: [String: String] = [:]
      #expect(
        await eventually(on: stage.loop) {
          for record in await stage.queue.list("invalid").compactMap({ JSONView($0) }) {
            fedBack[record["token"]?.string ?? ""] = record["reason"]?.string ?? ""
          }
          let passed = ["b", "c", "h", "i"].allSatisfy { letter in
            stage.requests(to: Self.token(letter)).last?.status == 200
          }
          return passed && fedBack.count >= 4
        })
      #expect(Set(fedBack.keys) == Set(["a", "d", "f", "g"].map(Self.token)))
      #expect(fedBack[Self.token("a")] == "UNREGISTERED")
      #expect(fedBack[Self.token("g")] == "SENDER_ID_MISMATCH")
      let dead = await stage.queue.letters()
      #expect(dead.map { $0["id"]?.string } == ["br30-e"])
      for letter in ["a", "d", "e", "f", "g", "j", "k"] {
        #expect(stage.requests(to: Self.token(letter)).count == 1, "\(letter)")
      }
      for letter in ["b", "c", "h", "i"] {
        #expect(stage.requests(to: Self.token(letter)).count == 2, "\(letter)")
      }
    }
  }
}
