import LoopIO
import PushModel
import PushSettings
import PushSimulator
import PushTelemetry
import PushWorker
import SharedState
import TestSupport
import Testing

@testable import PushProviders

/// BR-24: APNs answers 429 when the token on a connection changes within 20 minutes.
@Suite struct TokenRenewalTests {
  /// The machine's clock, which a test moves on.
  private final class MovedClock: PushClock {
    private let real = SystemClock()
    private let seconds = Guarded(Int64(0))

    func monotonic() -> Int64 { real.monotonic() + seconds.withLock { $0 } * 1_000_000_000 }
    func wall() -> Int64 { real.wall() + seconds.withLock { $0 } * 1_000 }
    func set(_ ahead: Int64) { seconds.withLock { $0 = ahead } }
  }

  /// One key for two apps, each with four connections.
  private static func settings(_ folder: TemporaryFolder, port: Int) -> Settings {
    var key = Settings.TokenKey()
    key.keyFile = folder.file("AuthKey_SIMKEY0001.p8")
    key.keyID = "SIMKEY0001"
    key.teamID = "SIMTEAM001"
    var settings = Settings.chat(key, port: port, caFile: folder.file("ca.pem"))
    settings.apps[0].apns?.connections.min = 4
    settings.apps[0].apns?.connections.max = 4
    var work = settings.apps[0]
    work.name = "work"
    work.apns?.topic = "com.example.work"
    settings.apps.append(work)
    return settings
  }

  private static func push(_ number: Int) -> PushRequest {
    let request = PushRequest()
    let digits = String(number, radix: 16)
    request.deviceToken = bytes(String(repeating: "c", count: 64 - digits.utf8.count) + digits)
    request.topic = bytes("com.example." + (number.isMultiple(of: 2) ? "chat" : "work"))
    request.pushType = .alert
    request.body = bytes(#"{"aps":{"alert":"Hello"}}"#)
    return request
  }

  /// Eight tasks send 500 to both apps; how many were accepted.
  private static func sendAll(
    _ providers: [any PushProvider], from first: Int, on loop: Loop
  ) async -> Int {
    let shared = UncheckedBox(providers)
    return await withTaskGroup(of: Int.self) { group in
      for task in 0..<8 {
        group.addTask(executorPreference: loop) {
          var accepted = 0
          for number in stride(from: first + task, to: first + 500, by: 8) {
            let outcome = await shared.value[number % 2].send(push(number))
            if outcome.verdict == .accepted { accepted += 1 }
          }
          return accepted
        }
      }
      return await group.reduce(0, +)
    }
  }

  private static func bearers(_ record: String) -> Set<Substring> {
    let text = String(decoding: read(record) ?? [], as: UTF8.self)
    return Set(
      text.split(separator: "\n").compactMap { line in
        line.firstRange(of: "\"authorization\":\"").map { found in
          line[found.upperBound...].prefix { $0 != "\"" }
        }
      })
  }

  @Test func `BR-24 after the quiet one more bearer serves both apps on all their connections`()
    async throws
  {
    try await onLoop { loop in
      let folder = TemporaryFolder()
      var options = SimulatorOptions(in: folder, strictStreams: true)
      options.topics = ["com.example.chat", "com.example.work"]
      options.recordFile = folder.file("record.jsonl")
      let simulator = try await Simulator.start(options, on: loop)
      let settings = Self.settings(folder, port: await simulator.ports.apns)
      let clock = MovedClock()
      let metrics = WorkerMetrics()
      let set = ProviderFactory(
        settings, try ProviderCredentials(settings, metrics: metrics, clock: clock),
        metrics: metrics, logger: Logger(level: .error), clock: clock
      ).makeProviders(on: loop, shard: 0, of: 1)
      let providers = ["chat", "work"].compactMap {
        set.providers[CredentialKey(app: $0, provider: .apns)]
      }
      #expect(await Self.sendAll(providers, from: 0, on: loop) == 500)
      // Too young to be renewed, though nothing was sent for a while.
      clock.set(30 * 60)
      await simulator.setClockOffset(30 * 60)
      #expect(await Self.sendAll(providers, from: 500, on: loop) == 500)
      #expect(Self.bearers(folder.file("record.jsonl")).count <= 1)
      clock.set(55 * 60)
      await simulator.setClockOffset(55 * 60)
      #expect(await Self.sendAll(providers, from: 1_000, on: loop) == 500)
      await set.shutDown()
      await simulator.stop()
      #expect(Self.bearers(folder.file("record.jsonl")).count == 2)
    }
  }
}
