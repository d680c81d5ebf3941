import Glibc
import HTTP2
import LoopIO
import PushCodec
import PushCrypto
import SharedState
import TestSupport

@testable import PushSimulator

/// A simulator of a test's own with real clients of its ports, all on one loop.
final class SimulatorBench {
  let loop: Loop
  let simulator: Simulator
  let ports: SimulatorPorts
  private let folder: TemporaryFolder
  private var pools: [ConnectionPool] = []

  /// Runs `body` with a simulator on free ports.
  static func run(
    _ change: @Sendable @escaping (inout SimulatorOptions) -> Void = { _ in },
    _ body: @Sendable @escaping (SimulatorBench) async throws -> Void
  ) async throws {
    try await onLoop { loop in
      let folder = TemporaryFolder()
      var options = SimulatorOptions(directory: folder.file("sim"))
      try copyKeys(to: options.directory)
      options.apnsPort = 0
      options.sandboxPort = 0
      options.fcmPort = 0
      options.controlPort = 0
      change(&options)
      let simulator = try await Simulator.start(options, on: loop)
      let bench = SimulatorBench(loop, simulator, await simulator.ports, folder)
      do {
        try await body(bench)
      } catch {
        await bench.close()
        throw error
      }
      await bench.close()
    }
  }

  /// Keys made once for all: an RSA key takes longer than most tests.
  private static let keys = TemporaryFolder()
  private static let keyFiles: [String] = {
    _ = try? SimulatorIdentity(folder: keys.path, topic: "com.example.chat")
    return [
      "ca.pem", "ca-key.pem", "AuthKey_SIMKEY0001.p8", "service-account-key.pem", "server.pem",
      "client.pem", "client.p12",
    ]
  }()

  private static func copyKeys(to folder: String) throws {
    try FileBytes.makeFolder(folder)
    for name in keyFiles { write(read(keys.file(name)) ?? [], to: "\(folder)/\(name)") }
  }

  private init(
    _ loop: Loop, _ simulator: Simulator, _ ports: SimulatorPorts, _ folder: TemporaryFolder
  ) {
    self.loop = loop
    self.simulator = simulator
    self.ports = ports
    self.folder = folder
  }

  private func close() async {
    for pool in pools { await pool.shutDown() }
    await simulator.stop()
  }

  func file(_ name: String) -> [UInt8] { read(folder.file("sim/" + name)) ?? [] }

  // MARK: Clients

  /// A pool to one port; each has connections of its own.
  func pool(
    _ port: Int, identity: TLSIdentity? = nil, change: (inout PoolSettings) -> Void = { _ in }
  ) throws -> ConnectionPool {
    let tls = try TLSContext.client(
      caFile: folder.file("sim/ca.pem"), identity: identity, alpn: ["h2"])
    var settings = PoolSettings(endpoint: .tcp(host: "localhost", port: port), tls: tls)
    settings.maxConnections = 1
    settings.requestsPerSecond = 0
    settings.requestTimeout = .seconds(10)
    settings.keptHeaders = [
      "apns-id", "apns-unique-id", "content-type", "retry-after",
    ]
    change(&settings)
    let pool = ConnectionPool(settings, on: loop, clock: SystemClock())
    pools.append(pool)
    return pool
  }

  /// The certificate that the simulator made for clients.
  var clientIdentity: TLSIdentity {
    let pem = file("client.pem")
    return TLSIdentity(certificateChainPEM: pem, privateKeyPEM: pem)
  }

  // MARK: What arrived

  func received() async throws -> JSONText { try json(await simulator.get("/received")) }

  func connections() async throws -> JSONText { try json(await simulator.get("/connections")) }

  private func json(_ bytes: [UInt8]) throws -> JSONText {
    guard let text = JSONText(bytes) else { throw NotJSON() }
    return text
  }
}

struct NotJSON: Error {}

extension JSONText {
  init?(_ bytes: [UInt8]) {
    var scanner = JSONScanner()
    self.init(bytes, scanner: &scanner)
  }

  /// The value at a path of names and numbers from the top, such as `error.details.0.errorCode`.
  subscript(_ path: String) -> String? {
    var at = 0
    for step in path.split(separator: ".") {
      let next: Int?
      if let number = Int(step), kind(at) == .array {
        let all = elements(of: at)
        next = number < all.count ? all[number] : nil
      } else {
        next = child(String(step), of: at)
      }
      guard let next else { return nil }
      at = next
    }
    return kind(at) == .string ? string(at) : String(decoding: raw(at), as: UTF8.self)
  }

  private func child(_ name: String, of object: Int) -> Int? {
    guard kind(object) == .object else { return nil }
    var found: Int?
    forEachMember(of: object) { key, value in
      if string(key) == name { found = value }
      return true
    }
    return found
  }
}

/// One push to the APNs side; a test changes what it is about.
struct Push {
  var method = "POST"
  var path: String?
  var token = String(repeating: "a1", count: 32)
  var bearer: String?
  var fields: [(String, String)] = [
    ("apns-topic", "com.example.chat"), ("apns-push-type", "alert"), ("apns-priority", "10"),
  ]
  var body = Array(#"{"aps":{"alert":"hello"}}"#.utf8)

  /// Replaces a field; nil removes it.
  mutating func set(_ name: String, _ value: String?) {
    fields.removeAll { $0.0 == name }
    if let value { fields.append((name, value)) }
  }

  var head: HeaderBlock {
    var head = HeaderBlock()
    head.append(":method", Array(method.utf8))
    head.append(":scheme", "https")
    head.append(":authority", "localhost")
    head.append(":path", Array((path ?? "/3/device/" + token).utf8), .secret)
    if let bearer { head.append("authorization", Array("bearer \(bearer)".utf8), .secret) }
    for (name, value) in fields { head.append(Array(name.utf8), Array(value.utf8)) }
    return head
  }
}

extension SimulatorBench {
  /// A provider token as the worker would make it.
  func jwt(
    key: [UInt8]? = nil, keyID: String = "SIMKEY0001", team: String = "SIMTEAM001",
    age: Int64 = 0
  ) throws -> String {
    let key = try PrivateKey(pem: key ?? file("AuthKey_SIMKEY0001.p8"))
    let issued = SystemClock().wall() / 1_000 - age
    let token = try JWT.es256(
      header: Array(#"{"alg":"ES256","kid":"\#(keyID)"}"#.utf8),
      claims: Array(#"{"iss":"\#(team)","iat":\#(issued)}"#.utf8), key: key)
    return String(decoding: token, as: UTF8.self)
  }

  func send(_ push: Push, through pool: ConnectionPool) async throws -> HTTP2Response {
    switch await pool.send(push.head, body: push.body) {
    case .answered(let response): return response
    case .neverSent(let trouble), .unknown(let trouble): throw trouble
    }
  }
}

extension HTTP2Response {
  /// APNs' reason; empty when there is no body.
  var reason: String { JSONText(body)?["reason"] ?? "" }
}
