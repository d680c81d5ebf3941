import HTTP2
import LoopIO
import PushCrypto
import PushModel
import PushSettings
import PushTelemetry
import PushWorker
import TestSupport
import Testing

@testable import PushProviders

@Suite struct ProviderFactoryTests {
  private let folder = TemporaryFolder()

  init() throws {
    write(try PrivateKey.makeP256().pem, to: folder.file("apns.p8"))
    let rsa = text(try PrivateKey.makeRSA2048().pem)
    write(serviceAccountJSON(key: rsa), to: folder.file("account.json"))
  }

  private func app(_ name: String) -> Settings.App {
    var key = Settings.TokenKey()
    key.keyFile = folder.file("apns.p8")
    key.keyID = "KEY"
    key.teamID = "TEAM"
    var apns = Settings.APNs()
    apns.topic = "com.example.\(name)"
    apns.production = key
    var fcm = Settings.FCM()
    fcm.serviceAccountFile = folder.file("account.json")
    var app = Settings.App(name: name)
    app.apns = apns
    app.fcm = fcm
    return app
  }

  private var settings: Settings {
    var settings = Settings()
    settings.apps = [app("chat"), app("work")]
    return settings
  }

  @Test func `apps with one key share one provider token`() throws {
    let metrics = WorkerMetrics()
    let credentials = try ProviderCredentials(settings, metrics: metrics)
    #expect(credentials.secrets.count == 6)
    #expect(credentials.projectIDs == ["chat": "demo", "work": "demo"])
    let sources = credentials.secrets.values.compactMap { secret in
      if case .apns(let source) = secret { ObjectIdentifier(source) } else { nil }
    }
    #expect(sources.count == 4 && Set(sources).count == 1)
    let made = metrics.pushes(app: "chat", provider: .apns).providerTokensMade.value
    #expect(made + metrics.pushes(app: "work", provider: .apns).providerTokensMade.value == 1)
  }

  @Test func `a configured project is sent to instead of the account's`() throws {
    var settings = settings
    settings.apps[0].fcm?.projectID = "other-1"
    let credentials = try ProviderCredentials(settings)
    #expect(credentials.projectIDs["chat"] == "other-1")
    settings.apps[0].fcm?.projectID = "a/b"
    #expect(throws: ProviderCredentials.Refusal.self) { try ProviderCredentials(settings) }
  }

  @Test func `all problems are told at once, each with its key and file`() {
    var settings = settings
    settings.apps[0].apns?.production?.keyFile = folder.file("none.p8")
    settings.apps[1].fcm?.serviceAccountFile = folder.file("apns.p8")
    settings.endpoints.caFile = folder.file("none.pem")
    do throws(ProviderCredentials.Refusal) {
      _ = try ProviderCredentials(settings)
      Issue.record("accepted")
    } catch {
      let keys = error.problems.map(\.settingsKey)
      #expect(keys.contains("apps.chat.apns.production.keyFile"))
      #expect(keys.contains("apps.work.fcm.serviceAccountFile"))
      #expect(keys.contains("endpoints.caFile"))
      #expect(keys.count == Set(keys).count)
      #expect(error.problems.contains { $0.error.text.contains("none.p8: No such file") })
    }
  }

  @Test func `an APNs key that cannot sign ES256 is refused at start`() throws {
    write(try PrivateKey.makeRSA2048().pem, to: folder.file("apns.p8"))
    do throws(ProviderCredentials.Refusal) {
      _ = try ProviderCredentials(settings)
      Issue.record("accepted")
    } catch { #expect(error.problems.first?.error.text.contains("P-256") == true) }
  }

  @Test func `every shard gets a provider for each credential, and opens nothing`() async throws {
    let settings = settings
    let factory = ProviderFactory(
      settings, try ProviderCredentials(settings), metrics: WorkerMetrics(), logger: Logger())
    try await onLoop { loop in
      let set = factory.makeProviders(on: loop, shard: 0, of: 2)
      #expect(set.providers.count == 6)
      #expect(set.all.map(\.key) == settings.credentials.map(\.key))
      for (key, provider) in set.providers { #expect(provider.key == key) }
      #expect(set.snapshots.allSatisfy { $0.pool.open + $0.pool.connecting == 0 })
      await set.shutDown()
    }
  }

  @Test func `a push reaches an endpoint of our own with the provider's name on it`() async throws {
    let base = settings
    try await withServer { loop, server in
      var settings = base
      settings.endpoints.apnsProduction = HostPort(host: "localhost", port: server.port)
      settings.endpoints.caFile = server.caFile
      let metrics = WorkerMetrics()
      let factory = ProviderFactory(
        settings, try ProviderCredentials(settings), metrics: metrics, logger: Logger())
      let set = factory.makeProviders(on: loop, shard: 0, of: 1)
      let provider = try #require(set.providers[CredentialKey(app: "chat", provider: .apns)])
      #expect(await provider.send(apnsRequest()).verdict == .accepted)
      #expect(server.requests.first?.fields[":authority"] == "api.push.apple.com")
      #expect(metrics.registry.render().contains(#"connection_events_total{"#))
      await set.shutDown()
    }
  }
}
