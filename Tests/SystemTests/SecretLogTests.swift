import Glibc
import LoopIO
import PushCrypto
import RedisClient
import TestSupport
import Testing

/// BR-43: at the most talkative level, through each kind of failure, nothing secret is written
/// anywhere, in no form, and no record is forged.
@Suite struct SecretLogTests {
  private static let password = "MarkedRedisPassword-9c/4f"
  private static let proxyPassword = "MarkedProxyPassword+7"
  private static let body = "SECRET-BODY-42"
  private static let sender = "MarkedSenderName"
  private static let title = "MarkedTitleOfRoom"
  /// A record of its own if it could get out of its value, and what moves a terminal's cursor.
  private static let forged =
    #"x\n{\"time\":\"2020-01-01T00:00:00Z\",\"level\":\"error\"}\u001b[2J"#

  /// Tokens by how the simulator answers them.
  private static let apns = [
    "0400", "0410", "0429", "0500", "0503", "ab403", "ab5bd", "abbad", "abf00", "abec0",
  ].map { Samples.apns($0) }
  private static let fcm = [
    "UNREGISTEREDmark", "QUOTAmark", "UNAVAILABLEmark", "MISMATCHmark", "good",
  ]
  .map { Samples.fcm($0) }

  private static let rules = #"""
    [{"match":{"tokenPrefix":"ab403"},"respond":{"status":403,"reason":"Forbidden"}},
     {"match":{"tokenPrefix":"ab5bd"},"respond":{"status":500,"body":"<html>ab5bd SECRET-BODY-42</html>"}},
     {"match":{"tokenPrefix":"abbad"},"respond":{"status":400,"reason":"Bad\n{\"time\":1}"}},
     {"match":{"tokenPrefix":"abec0"},"action":"reset","times":3}]
    """#

  private static func event(_ number: Int, _ device: String) -> String {
    #"{"id":"e\#(number)\#(forged)","type":"message","room":{"id":1,"name":"\#(title)"},"#
      + #""sender":{"name":"\#(sender)"},"message":{"id":2,"text":"\#(body)\#(forged)"},"#
      + #""traceparent":"00-\#(forged)","devices":[\#(device)]}"#
  }

  private static var events: [String] {
    let devices =
      apns.map { #"{"platform":"ios","token":"\#($0)"}"# }
      + fcm.map { #"{"platform":"android","token":"\#($0)"}"# }
    let device = devices[0]
    let wrong = [
      #"{"text":"\#(body)""#, body, #"{"type":"nope","message":{"text":"\#(body)"},"devices":[]}"#,
      #"{"type":"notice","app":"nope","title":"\#(body)","devices":[\#(device)]}"#,
      #"{"type":"notice","title":["\#(body)"],"devices":[\#(device)]}"#,
      #"{"type":"notice","title":"x","body":{"a":"\#(body)"},"devices":[\#(device)]}"#,
      #"{"type":"message","message":"\#(body)","devices":[\#(device)]}"#,
      #"{"type":"message","message":{"text":["\#(body)"]},"devices":[\#(device)]}"#,
      #"{"type":"message","sender":"\#(sender)","message":{"text":"x"},"devices":[\#(device)]}"#,
      #"{"type":"notice","title":"x","data":"\#(body)","devices":[\#(device)]}"#,
      #"{"type":"notice","title":"x","devices":[{"platform":"ios","token":"\#(body)"}]}"#,
    ]
    return devices.enumerated().map { event($0, $1) } + wrong
  }

  @Test(.redis("--requirepass", password)) func `BR-43 no secret and no forged record anywhere`()
    async throws
  {
    let server = try redis()
    try await onLoop { loop in
      let queue = try await TestQueue(
        on: loop,
        RedisURL(endpoint: server.url.endpoint, password: Array(Self.password.utf8)))
      let simulator = try await RunningSimulator(on: loop, rules: Self.rules, ["--token-ttl", "2"])
      let place = Place(simulator, server)
      // Everything goes through a proxy with a password.
      let proxy = try ConnectProxy(on: loop)
      let settings =
        ["ALLIM_LOG_LEVEL=debug"] + PushChain.quickRetries
        + place.proxySettings(proxy, password: Self.proxyPassword)

      // Each kind of failure; then the worker crashes with work in hand.
      let worker = try RunningWorker(
        listenedTo: loop, ["--config", place.write(password: Self.password)], settings: settings)
      #expect(await eventually(on: loop) { !worker.records("the worker runs").isEmpty })
      try await queue.push(Self.events)
      var recording = Recording(path: simulator.record)
      let seen = await eventually(on: loop) {
        recording.refresh()
        let statuses = Set(recording.requests.map(\.status))
        return statuses.isSuperset(of: [200, 400, 403, 404, 410, 429, 500, 503])
      }
      #expect(seen, "\(Set(recording.requests.map(\.status)))")
      #expect(await eventually(on: loop) { await queue.letters().count >= 6 })
      #expect(proxy.requests.contains { !$0.authorization.isEmpty })
      var served = try await Metrics(of: worker, on: loop).text
      let admin = worker.records("the worker runs").first?["admin"]?.string ?? ""
      for path in ["session", "stats", "queues", "workers", "apps", "history", "invalid"] {
        let answer = await PlainClient.ask(admin, "GET", "/api/v1/\(path)", ["Host: localhost"])
        #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(path)")
        served += answer
      }
      let commandLine = read("/proc/\(worker.pid)/cmdline") ?? []
      worker.signal(SIGUSR1)
      #expect(await eventually(on: loop) { !worker.records("state").isEmpty })
      worker.signal(SIGSEGV)
      // Where the toolchain is at hand the process is looked at before it ends.
      #expect(
        await eventually(on: loop) {
          worker.exit != nil || worker.lines.contains { $0.hasPrefix("Backtrace took") }
        })
      await worker.kill()

      // A wrong password; a proxy that refuses; a certificate that nobody signed.
      let locked = try RunningWorker(
        listenedTo: loop, ["--config", place.write(password: "MarkedWrongPassword")],
        settings: settings)
      #expect(
        await eventually(on: loop) { !locked.records("the queue cannot be joined").isEmpty })
      #expect(await locked.stop() == ExitStatus())
      proxy.answer = { _ in .status(407) }
      let refused = try RunningWorker(
        listenedTo: loop, ["--config", place.write(password: Self.password)], settings: settings)
      #expect(
        await eventually(on: loop) {
          refused.lines.contains { $0.contains("the proxy refuses user or password (407)") }
        }, "\(refused.lines.suffix(3))")
      #expect(await refused.stop() == ExitStatus())
      proxy.answer = { _ in .open }
      let distrustful = try RunningWorker(
        listenedTo: loop, ["--config", place.write(password: Self.password, trusts: false)],
        settings: settings)
      #expect(
        await eventually(on: loop) {
          distrustful.lines.contains { $0.contains("certificate") }
        }, "\(distrustful.lines.suffix(3))")
      #expect(await distrustful.stop() == ExitStatus())

      let records = worker.lines + locked.lines + refused.lines + distrustful.lines
      #expect(records.contains { $0.contains("the provider refused a push") })
      #expect(records.contains { $0.contains("an item is no event") })
      var written = Array((records.joined(separator: "\n") + served).utf8) + commandLine
      written += place.filesOfWorkers()
      for secret in place.secrets(recording) {
        for form in secret.forms {
          let isSeen = written.contains(form)
          #expect(!isSeen, "\(secret.name) as \(String(decoding: form, as: UTF8.self))")
        }
      }
      for line in worker.lines.prefix(while: { $0.hasPrefix("{") }) {
        #expect(line.hasPrefix("{\"time\":\"2") && JSONView(line.utf8) != nil, "\(line)")
      }
      #expect(!written.contains(0x1B))
      await simulator.stop()
    }
  }
}

/// A configuration with secrets, and what of it must never be seen.
private struct Place {
  let simulator: RunningSimulator
  let socket: String

  init(_ simulator: RunningSimulator, _ server: RedisServer) {
    self.simulator = simulator
    socket = server.socket
  }

  private func path(_ name: String) -> String { simulator.folder.file("sim/\(name)") }

  func write(password: String, trusts: Bool = true) -> String {
    let encoded = password.replacing("/", with: "%2F")
    TestSupport.write(Array("unix://:\(encoded)@\(socket)\n".utf8), to: path("redis-url"))
    var text = String(decoding: read(simulator.configuration) ?? [], as: UTF8.self)
      .replacing("{url: embedded}", with: "{urlFile: redis-url}")
    if !trusts { text = text.replacing("  caFile: ca.pem\n", with: "") }
    let name = path("marked-\(trusts).yaml")
    TestSupport.write([UInt8](text.utf8), to: name)
    return name
  }

  /// Nothing is written by a worker beside its log: what stands in the folder is the simulator's.
  func filesOfWorkers() -> [UInt8] {
    ["allim.log", "core", ".allim/redis.log"].flatMap { read(path($0)) ?? [] }
  }

  func proxySettings(_ proxy: ConnectProxy, password: String) -> [String] {
    TestSupport.write(Array("\(password)\n".utf8), to: path("proxy-password"))
    return [
      "ALLIM_PROXY_URL=http://127.0.0.1:\(proxy.port)", "ALLIM_PROXY_USER=svc",
      "ALLIM_PROXY_PASSWORD_FILE=\(path("proxy-password"))",
    ]
  }

  struct Secret {
    let name: String
    let value: [UInt8]

    /// As it is, percent-encoded, JSON-escaped, and in base64 wherever it may begin.
    var forms: [[UInt8]] {
      var forms = [value, Self.percent(value), value.flatMap { Self.escaped($0) }]
      for offset in 0..<3 {
        let padded = [UInt8](repeating: 0x41, count: offset) + value
        // The letters that neighbours have no part in.
        let letters = Base64.encode(padded).filter { $0 != UInt8(ascii: "=") }
        let first = (offset * 8 + 5) / 6
        let last = (padded.count * 8) / 6
        forms.append(Array(letters[first..<last]))
        forms.append(Array(Base64.encodeURL(padded)[first..<last]))
      }
      return forms
    }

    private static func percent(_ value: [UInt8]) -> [UInt8] {
      value.flatMap { byte -> [UInt8] in
        let isPlain =
          (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
          || (0x61...0x7A).contains(byte)
        let hex = String(byte, radix: 16, uppercase: true)
        return isPlain ? [byte] : Array(("%" + (byte < 16 ? "0" : "") + hex).utf8)
      }
    }

    private static func escaped(_ byte: UInt8) -> [UInt8] {
      let hex = String(byte, radix: 16)
      return Array("\\u00\(byte < 16 ? "0" : "")\(hex)".utf8)
    }
  }

  func secrets(_ recording: Recording) -> [Secret] {
    var secrets: [Secret] = []
    func add(_ name: String, _ text: String) {
      secrets.append(Secret(name: name, value: Array(text.utf8)))
    }
    add("a text", "SECRET-BODY-42")
    add("a sender", "MarkedSenderName")
    add("a title", "MarkedTitleOfRoom")
    add("the Redis password", "MarkedRedisPassword-9c/4f")
    add("a wrong Redis password", "MarkedWrongPassword")
    add("the proxy password", "MarkedProxyPassword+7")
    for target in Set(recording.requests.map(\.target)) where target.utf8.count > 20 {
      add("a device token", target)
    }
    for bearer in Set(recording.requests.compactMap { $0.header("authorization") }) {
      add("a bearer", String(bearer.split(separator: " ").last ?? ""))
    }
    for name in ["AuthKey_SIMKEY0001.p8", "service-account-key.pem"] {
      let lines = String(decoding: read(path(name)) ?? [], as: UTF8.self).split(separator: "\n")
      for line in lines where !line.hasPrefix("-----") { add("a key", String(line)) }
    }
    return secrets.filter { $0.value.count >= 10 }
  }
}
