package import LoopIO
import PushCrypto
import PushModel

/// APNs in both environments, FCM and its token endpoint on loopback, with a port to control them.
///
/// Everything but the control port's HTTP runs on one loop.
package actor Simulator {
  package nonisolated let loop: Loop
  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe loop.asUnownedSerialExecutor()
  }

  package nonisolated let options: SimulatorOptions
  /// Where it listens, once started.
  package private(set) var ports = SimulatorPorts()
  private var hub: Hub?
  private var listeners: [StreamListener] = []
  private var control: ControlServer?
  private let signals = TerminationSignals()

  private init(_ options: SimulatorOptions, on loop: Loop) {
    self.options = options
    self.loop = loop
  }

  /// Makes what the folder lacks, listens, and writes the files that name the ports.
  package static func start(
    _ options: SimulatorOptions, on loop: Loop
  ) async throws(SimulatorError) -> Simulator {
    let simulator = Simulator(options, on: loop)
    try await simulator.open()
    return simulator
  }

  private func open() throws(SimulatorError) {
    let identity = try SimulatorIdentity(folder: options.directory, topic: topic)
    let hub = try Hub(options: options, loop: loop, identity: identity, rules: try startRules())
    self.hub = hub
    ports.apns = try listen(options.apnsPort, identity.apnsTLS) { stream in
      hub.accept(stream, as: Self.apnsSide(.production, stream, hub))
    }
    ports.sandbox = try listen(options.sandboxPort, identity.apnsTLS) { stream in
      hub.accept(stream, as: Self.apnsSide(.sandbox, stream, hub))
    }
    ports.fcm = try listen(options.fcmPort, identity.fcmTLS) { stream in
      hub.accept(stream, as: FCMSide(hub: hub))
    }
    let account = ServiceAccount(key: identity.accountKey.publicKey, fcmPort: ports.fcm)
    hub.serviceAccount = account
    let home = LoopHome(hub)
    let control = try ControlServer(port: options.controlPort, on: loop) { home.hub.answer($0) }
    self.control = control
    ports.control = control.port
    try writeFiles(account, identity)
    hub.stalls.start()
  }

  private var topic: String { options.topics.first ?? "com.example.chat" }

  private func startRules() throws(SimulatorError) -> [Rule] {
    guard let path = options.rulesFile else { return [] }
    guard let bytes = try FileBytes.read(path) else {
      throw SimulatorError(.file, "no such file: \(path)")
    }
    return try RuleReader.read(bytes)
  }

  private func listen(
    _ port: Int, _ tls: TLSContext, accept: @escaping (ByteStream) -> Void
  ) throws(SimulatorError) -> Int {
    do {
      let endpoint = Endpoint.tcp(host: "127.0.0.1", port: port)
      let listener = try StreamListener(on: loop, endpoint: endpoint, tls: tls, accept: accept)
      listeners.append(listener)
      return listener.port
    } catch {
      throw SimulatorError(.listen, error.detail)
    }
  }

  /// The subject's UID of a client certificate is the topic it may push to (apns.md 6).
  private static func apnsSide(
    _ environment: APNsEnvironment, _ stream: ByteStream, _ hub: Hub
  ) -> APNsSide {
    let certificate = stream.peerCertificate.flatMap { try? Certificate(der: $0) }
    return APNsSide(environment, certificateTopic: certificate.map { $0.userID ?? "" }, hub: hub)
  }

  private func writeFiles(
    _ account: ServiceAccount, _ identity: SimulatorIdentity
  ) throws(SimulatorError) {
    let folder = options.directory
    try FileBytes.write(
      "\(folder)/service-account.json", account.file(privateKeyPEM: identity.accountKey.pem))
    let path = "\(folder)/\(ConfigurationFile.name)"
    if let kept = try FileBytes.read(path), !kept.starts(with: ConfigurationFile.mark.utf8) {
      return
    }
    let text = ConfigurationFile.text(topic: topic, ports: ports)
    try FileBytes.write(path, Array(text.utf8))
  }

  /// One line of JSON that names the ports, for whoever started the program.
  package var readyLine: String {
    var out = JSONLine()
    out.open()
    out.add("apnsPort", ports.apns)
    out.add("sandboxPort", ports.sandbox)
    out.add("fcmPort", ports.fcm)
    out.add("controlPort", ports.control)
    out.add("dir", options.directory)
    out.close()
    return String(decoding: out.bytes, as: UTF8.self)
  }

  /// Catches TERM and INT from now on: call it before anybody is told that the simulator is ready,
  /// since whoever reads that may stop it at once.
  package func catchTermination() throws(SimulatorError) {
    do {
      try signals.listen(on: loop)
    } catch {
      throw SimulatorError(.listen, error.detail)
    }
  }

  /// Returns at TERM or INT, also when one came since `catchTermination`.
  package func waitForTermination() async { await signals.wait() }

  /// What the control port answers to GET of a path, for tests in the same process.
  package func get(_ path: String, since: Int64 = 0) -> [UInt8] {
    hub?.answer(ControlRequest(method: "GET", path: path, since: String(since))).body ?? []
  }

  /// Replaces the rules by a JSON list, as `POST /rules` does.
  package func setRules(_ json: String) throws(SimulatorError) {
    hub?.rules = RuleBook(try RuleReader.read(Array(json.utf8)))
  }

  /// Sets the simulator's clock that many seconds ahead, as `POST /clock` does.
  package func setClockOffset(_ seconds: Int64) { hub?.clock.offset = seconds }

  /// Closes every port and connection.
  package func stop() async {
    for listener in listeners { listener.close() }
    listeners = []
    await control?.close()
    control = nil
    hub?.close()
    hub = nil
  }
}

/// Carries the hub through the control port's thread to its own loop, where alone it is used.
private struct LoopHome: @unchecked Sendable {
  let hub: Hub
  init(_ hub: Hub) { self.hub = hub }
}
