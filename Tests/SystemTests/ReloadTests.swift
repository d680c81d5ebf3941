import LoopIO
import PushCrypto
import RedisClient
import TestSupport
import Testing

/// HUP: the configuration, keys and certificates are read again, and no push is lost or sent twice.
@Suite struct ReloadTests {
  private static func token(_ number: Int) -> String {
    "c" + String(repeating: "0", count: 59) + String(10_000 + number).suffix(4)
  }

  private static func events(_ numbers: Range<Int>) -> [String] {
    numbers.map { number in
      "{\"id\":\"h\(number)\",\"type\":\"notice\",\"title\":\"t\",\"body\":\"b\","
        + "\"devices\":[{\"platform\":\"ios\",\"token\":\"\(token(number))\"}]}"
    }
  }

  /// A configuration beside the simulator's, which tests change.
  private struct ChangedFile {
    let path: String
    private let original: String

    init(_ simulator: RunningSimulator) {
      path = simulator.folder.file("sim/changed.yaml")
      original = String(decoding: read(simulator.configuration) ?? [], as: UTF8.self)
        .replacing("redis: {url: embedded}\n", with: "")
      write()
    }

    /// A certificate in the place of the production key.
    func writeWithCertificate(_ name: String) {
      let key = """
        production:
                keyFile: AuthKey_SIMKEY0001.p8
                keyId: SIMKEY0001
                teamId: SIMTEAM001

        """
      write(replacing: (key, "production: {certificateFile: \(name)}\n"))
    }

    func write(_ more: String = "", replacing: (String, String)? = nil) {
      let text = replacing.map { original.replacing($0.0, with: $0.1) } ?? original
      TestSupport.write([UInt8]((text + more).utf8), to: path)
    }
  }

  private func started(_ worker: RunningWorker, on loop: Loop) async throws {
    let runs = await eventually(on: loop) { !worker.records("the worker runs").isEmpty }
    try #require(runs, "\(worker.lines)")
  }

  @Test(.redis) func `keys and settings change under load, and every push arrives once`()
    async throws
  {
    let server = try redis()
    try await onLoop { loop in
      let queue = try await TestQueue(on: loop, server.url)
      let simulator = try await RunningSimulator(on: loop, ["--latency", "15", "--strict-streams"])
      let file = ChangedFile(simulator)
      let key = read(simulator.folder.file("sim/AuthKey_SIMKEY0001.p8")) ?? []
      for name in ["a", "b"] { write(key, to: simulator.folder.file("sim/\(name).p8")) }
      let worker = try RunningWorker(
        listenedTo: loop, ["--config", file.path, "--redis", "unix://\(server.socket)"])
      try await started(worker, on: loop)
      let rounds = 12
      let each = 150
      let atStart = worker.descriptors()
      for round in 0..<rounds {
        try await queue.push(Self.events(round * each..<(round + 1) * each))
        file.write(
          "workers: \(20 + round * 7)\nthreads: \(1 + round % 2)\n",
          replacing: ("AuthKey_SIMKEY0001.p8", round % 2 == 0 ? "a.p8" : "b.p8"))
        worker.signal(1)
        let isRead = await eventually(on: loop) {
          worker.records("the configuration was read again").count == round + 1
        }
        try #require(isRead, "\(worker.lines.suffix(5))")
      }
      #expect(await eventually(on: loop) { await queue.isDrained() })
      let accepted = simulator.accepted()
      #expect(accepted.count == rounds * each)
      #expect(accepted.values.allSatisfy { $0 == 1 }, "some were sent twice")
      #expect(await eventually(on: loop) { await queue.instances().count <= 2 })
      // One key, whatever file it was read from: APNs refuses tokens that change too often.
      let made = try await Metrics(of: worker, on: loop)["allim_provider_tokens_made_total"]
      #expect(made == 1, "\(made ?? 0) provider tokens")
      // Nothing of all those before is left beside the last, which is idle as the first one was. A
      // generation has more than ten; its own connections were not open yet at the start.
      file.write()
      worker.signal(1)
      let isSlim = await eventually(on: loop) { worker.descriptors() <= atStart + 12 }
      #expect(isSlim, "\(atStart), then \(worker.descriptors())")
      #expect(await worker.stop() == ExitStatus())
      #expect(await queue.leftovers() == [])
      await simulator.stop()
    }
  }

  @Test(.redis) func `a wrong file is told in full and changes nothing`() async throws {
    let server = try redis()
    try await onLoop { loop in
      let queue = try await TestQueue(on: loop, server.url)
      let simulator = try await RunningSimulator(on: loop)
      let file = ChangedFile(simulator)
      let worker = try RunningWorker(
        listenedTo: loop, ["--config", file.path, "--redis", "unix://\(server.socket)"])
      try await started(worker, on: loop)
      #expect(await eventually(on: loop) { await queue.instances().count == 1 })
      let instances = await queue.instances()
      file.write("wrokers: 3\nthreads: many\n")
      worker.signal(1)
      let isKept = "the configuration is kept as it was"
      #expect(await eventually(on: loop) { worker.records(isKept).count == 1 })
      let problems = worker.records("the configuration has a problem")
        .compactMap { $0["detail"]?.string }
      #expect(problems.count == 2)
      #expect(problems.contains { $0.contains("wrokers") && $0.contains("did you mean") })
      #expect(problems.contains { $0.contains("threads: \"many\"") })
      // A key that is no key is found before anything changes, too.
      write([UInt8]("no key".utf8), to: simulator.folder.file("sim/bad.p8"))
      file.write(replacing: ("AuthKey_SIMKEY0001.p8", "bad.p8"))
      worker.signal(1)
      #expect(await eventually(on: loop) { worker.records(isKept).count == 2 })
      #expect(await queue.instances() == instances)
      try await queue.push(Self.events(5_000..<5_001))
      #expect(await eventually(on: loop) { simulator.accepted()[Self.token(5_000)] == 1 })
      let metrics = try await Metrics(of: worker, on: loop)
      #expect(metrics["allim_config_reload_success"] == 0)
      file.write()
      worker.signal(1)
      #expect(
        await eventually(on: loop) {
          worker.records("the configuration was read again").count == 1
        })
      #expect(try await Metrics(of: worker, on: loop)["allim_config_reload_success"] == 1)
      #expect(await worker.stop() == ExitStatus())
      await simulator.stop()
    }
  }

  /// The connections of the requests for these numbers, and how often each was accepted.
  private func look(
    _ simulator: RunningSimulator, _ numbers: Range<Int>
  ) -> (connections: Set<Int64>, accepted: [Int]) {
    var recording = Recording(path: simulator.record)
    recording.refresh()
    var connections: Set<Int64> = []
    var accepted = Array(repeating: 0, count: numbers.count)
    for (place, number) in numbers.enumerated() {
      for request in recording.requests where request.target == Self.token(number) {
        if let connection = JSONView(request.line.utf8)?["connection"]?.integer {
          connections.insert(connection)
        }
        if request.status == 200 { accepted[place] += 1 }
      }
    }
    return (connections, accepted)
  }

  private func wasRefused(_ simulator: RunningSimulator, _ reason: String) -> Bool {
    var recording = Recording(path: simulator.record)
    recording.refresh()
    return recording.requests.contains { $0.reason == reason }
  }

  private func areShut(_ connections: Set<Int64>, _ simulator: RunningSimulator) async -> Bool {
    let answer = await PlainClient.ask(
      "127.0.0.1:\(simulator.controlPort)", "GET", "/connections")
    return connections.allSatisfy { number in
      answer.contains("{\"connection\":\(number),\"side\":\"production\",\"open\":false")
    }
  }

  /// A client certificate of the simulator's authority, in `now.pem`.
  private static func makeCertificate(_ folder: String, days: Int) throws {
    let authority = try CertificateAuthority(
      certificatePEM: read("\(folder)/ca.pem") ?? [], keyPEM: read("\(folder)/ca-key.pem") ?? [])
    let made = try authority.makeClient(
      topic: "com.example.chat", validity: .init(fromDays: -1, toDays: days))
    write(made.certificatePEM + made.keyPEM, to: "\(folder)/now.pem")
  }

  private func reload(_ worker: RunningWorker, times: Int, on loop: Loop) async throws {
    worker.signal(1)
    let isRead = await eventually(on: loop) {
      worker.records("the configuration was read again").count == times
    }
    try #require(isRead, "\(worker.lines.suffix(5))")
  }

  @Test(.redis) func `a changed certificate serves new connections while the old ones drain`()
    async throws
  {
    let server = try redis()
    try await onLoop { loop in
      let queue = try await TestQueue(on: loop, server.url)
      let simulator = try await RunningSimulator(on: loop, ["--latency", "1500"])
      let file = ChangedFile(simulator)
      try Self.makeCertificate(simulator.folder.file("sim"), days: 20)
      file.writeWithCertificate("now.pem")
      let worker = try RunningWorker(
        listenedTo: loop, ["--config", file.path, "--redis", "unix://\(server.socket)"])
      try await started(worker, on: loop)
      let expiry = "allim_credential_expiry_timestamp_seconds"
      let before = try await Metrics(of: worker, on: loop)[expiry] ?? 0
      try await queue.push(Self.events(7_000..<7_050))
      let isUnderWay = await eventually(on: loop) {
        look(simulator, 7_000..<7_050).accepted.allSatisfy { $0 == 1 }
      }
      #expect(isUnderWay)
      try Self.makeCertificate(simulator.folder.file("sim"), days: 40)
      // They are in the record and wait for their answers.
      try await reload(worker, times: 1, on: loop)
      let first = look(simulator, 7_000..<7_050).connections
      try await queue.push(Self.events(7_050..<7_100))
      #expect(await eventually(on: loop) { await queue.isDrained() })
      let new = look(simulator, 7_050..<7_100)
      #expect(new.connections.isDisjoint(with: first))
      let all = look(simulator, 7_000..<7_050).accepted + new.accepted
      #expect(all.allSatisfy { $0 == 1 }, "\(all)")
      let after = try await Metrics(of: worker, on: loop)[expiry] ?? 0
      #expect(after - before > 19 * 86_400)
      #expect(await eventually(on: loop) { await areShut(first, simulator) })
      #expect(await worker.stop() == ExitStatus())
      await simulator.stop()
    }
  }

  @Test(.redis) func `a changed key serves new connections, and a wrong one costs no event`()
    async throws
  {
    let server = try redis()
    try await onLoop { loop in
      let queue = try await TestQueue(on: loop, server.url)
      let simulator = try await RunningSimulator(on: loop)
      let file = ChangedFile(simulator)
      let path = simulator.folder.file("sim/AuthKey_SIMKEY0001.p8")
      let right = read(path) ?? []
      let worker = try RunningWorker(
        listenedTo: loop, ["--config", file.path, "--redis", "unix://\(server.socket)"])
      try await started(worker, on: loop)
      try await queue.push(Self.events(8_000..<8_020))
      #expect(await eventually(on: loop) { await queue.isDrained() })
      write(try PrivateKey.makeP256().pem, to: path)
      try await reload(worker, times: 1, on: loop)
      try await queue.push(Self.events(8_020..<8_030))
      #expect(await eventually(on: loop) { wasRefused(simulator, "InvalidProviderToken") })
      #expect(await !queue.isDrained())
      write(right, to: path)
      try await reload(worker, times: 2, on: loop)
      #expect(await eventually(on: loop) { await queue.isDrained() })
      let (first, old) = look(simulator, 8_000..<8_020)
      let (second, new) = look(simulator, 8_020..<8_030)
      #expect(second.isDisjoint(with: first))
      #expect((old + new).allSatisfy { $0 == 1 }, "\(old + new)")
      #expect(await queue.letters().isEmpty)
      #expect(await worker.stop() == ExitStatus())
      await simulator.stop()
    }
  }

  @Test(.redis) func `message rules and the log change at once`() async throws {
    let server = try redis()
    try await onLoop { loop in
      let queue = try await TestQueue(on: loop, server.url)
      let simulator = try await RunningSimulator(on: loop)
      let file = ChangedFile(simulator)
      let worker = try RunningWorker(
        listenedTo: loop, ["--config", file.path, "--redis", "unix://\(server.socket)"])
      try await started(worker, on: loop)
      file.write(
        "types: {promo: {title: \"New today\", pushType: alert}}\nlimits: {devices: 50}\n")
      worker.signal(1)
      #expect(
        await eventually(on: loop) {
          worker.records("the configuration was read again").count == 1
        })
      let token = Self.token(6_000)
      try await queue.push([
        "{\"type\":\"promo\",\"body\":\"b\",\"devices\":[{\"platform\":\"ios\",\"token\":\"\(token)\"}]}"
      ])
      var recording = Recording(path: simulator.record)
      let came = await eventually(on: loop) {
        recording.refresh()
        return recording.requests.contains { $0.target == token && $0.status == 200 }
      }
      #expect(came)
      let title = recording.requests.first { $0.target == token }?.body?["aps", "alert", "title"]
      #expect(title?.string == "New today")
      file.write("log: {format: logfmt}\n")
      worker.signal(1)
      #expect(
        await eventually(on: loop) {
          worker.lines.contains { $0.hasPrefix("time=") && $0.contains("was read again") }
        }, "\(worker.lines)")
      #expect(await worker.stop() == ExitStatus())
      await simulator.stop()
    }
  }
}
