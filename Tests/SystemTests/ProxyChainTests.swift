import LoopIO
import TestSupport
import Testing

/// BR-20: with a proxy set, nothing goes past it, whatever it does.
@Suite struct ProxyChainTests {
  /// The worker knows the providers by ports where nobody listens: only the proxy leads to them.
  private func settings(
    _ simulator: RunningSimulator, _ proxy: ConnectProxy, password: String
  ) -> [String] {
    write(Array((password + "\n").utf8), to: simulator.folder.file("proxy-password"))
    let ports = [1: "apnsPort", 2: "sandboxPort", 3: "fcmPort"].mapValues { simulator.port($0) }
    proxy.route = { ports[$0] ?? 0 }
    return [
      "ALLIM_ENDPOINTS_APNS_PRODUCTION=localhost:1", "ALLIM_ENDPOINTS_APNS_SANDBOX=localhost:2",
      "ALLIM_ENDPOINTS_FCM=localhost:3", "ALLIM_ENDPOINTS_OAUTH=https://localhost:3/token",
      "ALLIM_PROXY_URL=http://127.0.0.1:\(proxy.port)", "ALLIM_PROXY_USER=svc",
      "ALLIM_PROXY_PASSWORD_FILE=\(simulator.folder.file("proxy-password"))",
      "ALLIM_LOG_LEVEL=warning",
    ]
  }

  /// A worker that reaches the providers through a proxy alone.
  private struct Chain {
    let queue: TestQueue
    let simulator: RunningSimulator
    let proxy: ConnectProxy
    let log: String
    let worker: RunningWorker
  }

  private func start(
    on loop: Loop, _ redis: RedisServer, password: String = "p@ss:1",
    _ answer: @escaping (ConnectProxy.Request) -> ConnectProxy.Answer
  ) async throws -> Chain {
    let queue = try await TestQueue(on: loop, redis.url)
    let simulator = try await RunningSimulator(on: loop)
    let proxy = try ConnectProxy(on: loop)
    proxy.answer = answer
    let log = simulator.folder.file("worker.log")
    let worker = try RunningWorker(
      on: loop, configuration: simulator.configuration, redis: "unix://\(redis.socket)",
      settings: settings(simulator, proxy, password: password), log: log)
    return Chain(queue: queue, simulator: simulator, proxy: proxy, log: log, worker: worker)
  }

  private static func events(_ tag: String) -> [String] {
    let sandbox =
      #"{"platform":"ios","environment":"sandbox","token":"\#(Samples.apns("b" + tag))"}"#
    return [
      Samples.message(
        "p\(tag)", Samples.iphone("a" + tag), sandbox, Samples.android(tag))
    ]
  }

  private func accepted(_ recording: inout Recording, _ tag: String) -> Int {
    recording.refresh()
    let targets = [Samples.apns("a" + tag), Samples.apns("b" + tag), Samples.fcm(tag)]
    return recording.requests.filter { targets.contains($0.target) && $0.status == 200 }.count
  }

  @Test func `BR-20 APNs, FCM and the token endpoint go through the proxy, also after its outage`()
    async throws
  {
    try await onRedisLoop { loop, redis in
      // svc:p@ss:1
      let right = "Basic c3ZjOnBAc3M6MQ=="
      var isDown = true
      let chain = try await start(on: loop, redis) {
        $0.authorization != right ? .status(407) : isDown ? .status(503) : .open
      }
      let (queue, simulator, proxy) = (chain.queue, chain.simulator, chain.proxy)
      var recording = Recording(path: simulator.record)
      let outage = Outage()
      try await queue.push(Self.events("1"))
      #expect(await eventually(on: loop) { proxy.requests.count >= 6 })
      try await outage.last(on: loop)
      #expect(accepted(&recording, "1") == 0)
      isDown = false
      let recovered = ContinuousClock.now
      #expect(await eventually(on: loop) { accepted(&recording, "1") == 3 })
      #expect(ContinuousClock.now - recovered < .seconds(30))
      try await queue.push(Self.events("2"))
      #expect(await eventually(on: loop) { accepted(&recording, "2") == 3 })
      #expect(await eventually(on: loop) { await queue.isDrained() })
      #expect(Set(proxy.requests.map(\.target)) == ["localhost:1", "localhost:2", "localhost:3"])
      #expect(proxy.requests.allSatisfy { $0.authorization == right })
      #expect(await chain.worker.stop() == ExitStatus())
      let words = String(decoding: read(chain.log) ?? [], as: UTF8.self)
      #expect(words.contains("503") && !words.contains("p@ss") && !words.contains("c3ZjOn"))
      await simulator.stop()
    }
  }

  enum Fault: CaseIterable {
    case silent, cuts

    var answer: ConnectProxy.Answer {
      switch self {
      case .silent: .silence
      // In the middle of the first answers: the handshake takes about half of it.
      case .cuts: .openUntil(bytes: 4_000)
      }
    }
  }

  @Test(arguments: Fault.allCases)
  func `BR-20 a proxy that says nothing, or cuts what it carries, loses no push`(fault: Fault)
    async throws
  {
    try await onRedisLoop { loop, redis in
      var isSick = true
      let chain = try await start(on: loop, redis) { _ in isSick ? fault.answer : .open }
      let (queue, simulator, proxy) = (chain.queue, chain.simulator, chain.proxy)
      var recording = Recording(path: simulator.record)
      let outage = Outage()
      try await queue.push(Self.events("4"))
      #expect(
        await eventually(on: loop) {
          Set(proxy.requests.map(\.target)).count == 3
            && (fault == .silent || proxy.pairs.contains { !$0.isOpen })
        })
      try await outage.last(on: loop)
      isSick = false
      #expect(
        await eventually(within: .seconds(60), on: loop) {
          accepted(&recording, "4") >= 3 ? await queue.isDrained() : false
        })
      let targets = Set(recording.requests.filter { $0.status == 200 }.map(\.target))
      #expect(targets.isSuperset(of: [Samples.apns("a4"), Samples.apns("b4"), Samples.fcm("4")]))
      if fault == .silent { #expect(accepted(&recording, "4") == 3) }
      #expect(await queue.letters().isEmpty)
      #expect(await chain.worker.stop() == ExitStatus())
      await simulator.stop()
    }
  }

  @Test func `BR-20 a 407 is said plainly and keeps the events`() async throws {
    try await onRedisLoop { loop, redis in
      let chain = try await start(on: loop, redis, password: "SECRET-4711") { _ in .status(407) }
      let (queue, simulator, proxy) = (chain.queue, chain.simulator, chain.proxy)
      try await queue.push(Self.events("3"))
      #expect(await eventually(on: loop) { proxy.requests.count >= 6 })
      let isTold = await eventually(on: loop) {
        String(decoding: read(chain.log) ?? [], as: UTF8.self)
          .contains("the proxy refuses user or password (407)")
      }
      #expect(isTold)
      #expect(await chain.worker.stop() == ExitStatus())
      #expect(proxy.pairs.isEmpty)
      #expect(await queue.letters().isEmpty)
      #expect(await !queue.isDrained())
      let words = String(decoding: read(chain.log) ?? [], as: UTF8.self)
      #expect(!words.contains("SECRET") && !words.contains("c3ZjOlNF"))
      await simulator.stop()
    }
  }
}
