import LoopIO
import PushCrypto
import TestSupport
import Testing

/// A real Redis, a real worker, and in the place of APNs a server of the test's own, which does with
/// each request what the test says. Used on its loop only.
final class ScriptedStage {
  let loop: Loop
  let queue: TestQueue
  let server: ScriptedServer
  /// Between the worker and the server.
  let relay: Relay
  let log: String
  /// Its folder holds the worker's keys; it stands for FCM and the token endpoint.
  private let simulator: RunningSimulator
  private let worker: RunningWorker
  /// How often each event was answered with 200.
  private(set) var accepted: [Int: Int] = [:]
  private let authority: CertificateAuthority
  private var successor: ScriptedServer?

  /// - Parameters:
  ///   - names: what the server's certificate names.
  ///   - passesRelay: the worker connects to the relay instead of the server.
  init(
    on loop: Loop, _ redis: RedisServer, passesRelay: Bool = false, settings: [String] = [],
    server make: (CertificateAuthority) throws -> TLSContext = { try ScriptedStage.good($0) }
  ) async throws {
    self.loop = loop
    simulator = try await RunningSimulator(on: loop)
    queue = try await TestQueue(on: loop, redis.url)
    let folder = simulator.folder
    authority = try CertificateAuthority(
      certificatePEM: read(folder.file("sim/ca.pem")) ?? [],
      keyPEM: read(folder.file("sim/ca-key.pem")) ?? [])
    server = try ScriptedServer(on: loop, tls: try make(authority))
    let port = server.listener?.port ?? 0
    relay = try Relay(on: loop, to: port)
    log = folder.file("worker.log")
    worker = try RunningWorker(
      on: loop, configuration: simulator.configuration, redis: "unix://\(redis.socket)",
      settings: [
        "ALLIM_ENDPOINTS_APNS_PRODUCTION=localhost:\(passesRelay ? relay.port : port)",
        "ALLIM_LOG_LEVEL=warning",
      ] + settings, log: log)
  }

  static func good(_ authority: CertificateAuthority) throws -> TLSContext {
    try server(authority.makeServer())
  }

  static func server(_ issued: IssuedIdentity, alpn: [String] = ["h2"]) throws -> TLSContext {
    try TLSContext.server(
      identity: TLSIdentity(
        certificateChainPEM: issued.certificatePEM, privateKeyPEM: issued.keyPEM), alpn: alpn)
  }

  /// New connections through the relay lead to another server, which is well.
  func replaceServer() throws -> ScriptedServer {
    let next = try ScriptedServer(on: loop, tls: try Self.good(authority))
    successor = next
    relay.target = next.listener?.port ?? 0
    return next
  }

  // MARK: Events

  /// Pushes events with these numbers, each to one iPhone.
  func push(_ numbers: Range<Int>) async throws {
    try await queue.push(
      numbers.map { number in
        Samples.event(
          "e\(number)", ##""type":"message","message":{"text":"#\##(number)#"}"##,
          Samples.iphone("e" + String(number + 0x1_0000, radix: 16)))
      })
  }

  /// The number of the event that a request carries.
  func number(_ connection: ScriptedConnection, _ id: UInt32) -> Int {
    let parts = (connection.bodies[id] ?? []).split(
      separator: UInt8(ascii: "#"), omittingEmptySubsequences: false)
    return parts.count == 3 ? Int(String(decoding: parts[1], as: UTF8.self)) ?? -1 : -1
  }

  /// Answers 200 and remembers it.
  func accept(_ connection: ScriptedConnection, _ id: UInt32, ends: Bool = true) {
    accepted[number(connection, id), default: 0] += 1
    connection.answer(id, ends: ends)
  }

  /// The books balance: each of `count` events was accepted, none is left anywhere.
  func expectAllAccepted(_ count: Int, besides lists: [String] = []) async {
    let isDone = await eventually(within: .seconds(120), on: loop) {
      guard accepted.count >= count else { return false }
      return await queue.isDrained(besides: lists)
    }
    #expect(isDone, "\(accepted.count) of \(count) accepted")
    #expect(await queue.letters().isEmpty)
  }

  /// The worker's own words so far.
  func logged() -> String { String(decoding: read(log) ?? [], as: UTF8.self) }

  /// Ends the worker as an operator does; it must be the one of the start.
  func stop() async {
    #expect(await worker.stop() == ExitStatus())
    for connection in server.connections { connection.close() }
    await simulator.stop()
  }
}

/// Runs a test with a Redis and a loop of its own.
func onRedisLoop(
  _ body: @escaping @Sendable (Loop, RedisServer) async throws -> Void
) async throws {
  let redis = try await RedisServer()
  do {
    try await onLoop { loop in try await body(loop, redis) }
  } catch {
    await redis.stop()
    throw error
  }
  await redis.stop()
}
