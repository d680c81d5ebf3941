import PushModel
import PushSettings
import Testing

@Suite struct SettingsLoaderTests {
  private static let full = """
    redis:
      url: rediss://allim:secret@redis.internal:6380/0
      tls: {serverName: redis.example}
      allowEviction: true
    queues:
      - {name: push:calls, lease: 5s}
    workers: 64
    threads: 2
    apps:
      chat:
        apns:
          topic: com.example.chat
          environment: sandbox
          production: {keyFile: key.p8, keyId: ABC123DEFG, teamId: TEAM123456}
          connections: {min: 2, max: 5, requestsPerSecond: 50}
        fcm:
          serviceAccountFile: account.json
          projectId: example-project
          collapse: true
        androidStyle: data
        dataKeys: {room: roomId}
        channels: {daily_menu: {sound: none}}
        texts: {image: "Picture"}
    types:
      promo: {pushType: alert, priority: normal, ttl: 3600, title: "{room.name}", expired: letter}
      call: {ttl: 20}
    retry:
      apns: {quick: [500ms, 2s], quickTries: 1, base: 10s, max: 5m, for: 30m}
      fcm: {base: 20s, max: 1m, after429: 90s, for: 2h}
      connection: {base: 2s, max: 30s}
    limits: {itemBytes: 1mb, devices: 500, depth: 32}
    shutdown: {grace: 5s}
    ping: {apns: off, fcm: 2m}
    request: {timeout: 3s}
    admin: {listen: "[::1]:9000"}
    log: {level: debug, format: logfmt}
    endpoints: {apnsProduction: localhost:2197, apnsSandbox: 127.0.0.1:2198, fcm: "[::1]:8443", oauth: https://localhost:8443/token}

    """

  @Test func `every key of the file reaches its setting`() throws {
    let folder = SettingsFolder(Self.full)
    folder.add("key.p8", "key")
    folder.add("account.json", "{}")
    let loaded = try folder.load().get()
    let settings = loaded.settings
    #expect(settings.redis.url == "rediss://allim:secret@redis.internal:6380/0")
    #expect(settings.redis.tls.serverName == "redis.example")
    #expect(settings.redis.allowEviction)
    #expect(settings.queues.map(\.name) == ["push:calls"])
    #expect(settings.queues.first?.lease == .seconds(5))
    #expect(settings.workers == .count(64) && settings.threads == .count(2))
    let app = try #require(settings.apps.first)
    let apns = try #require(app.apns)
    #expect(apns.topic == "com.example.chat" && apns.environment == .sandbox)
    #expect(apns.production?.keyFile == folder.path + "/key.p8")
    #expect(apns.key(.sandbox)?.keyID == "ABC123DEFG")
    #expect(apns.connections.max == 5 && apns.connections.requestsPerSecond == 50)
    let fcm = try #require(app.fcm)
    #expect(fcm.serviceAccountFile == folder.path + "/account.json" && fcm.collapse)
    #expect(fcm.connections == Settings.Connections())
    #expect(settings.retry.apns.quick == DurationRange(from: .milliseconds(500), to: .seconds(2)))
    #expect(settings.retry.apns.window == .seconds(1_800))
    #expect(settings.retry.fcm.after429 == .seconds(90))
    #expect(settings.retry.connection.max == .seconds(30))
    #expect(settings.limits.itemBytes == 1_048_576 && settings.limits.depth == 32)
    #expect(settings.ping.apns == nil && settings.ping.fcm == .seconds(120))
    #expect(settings.admin.listen == HostPort(host: "::1", port: 9_000))
    #expect(settings.log.level == .debug && settings.log.format == .logfmt)
    #expect(settings.endpoints.fcm.isLoopback && settings.endpoints.apnsProduction.isLoopback)
    #expect(!loaded.usesEmbeddedRedis)
  }

  @Test func `message rules and credentials follow from the file`() throws {
    let folder = SettingsFolder(Self.full.replacing("      projectId: example-project\n", with: ""))
    folder.add("key.p8", "key")
    folder.add("account.json", "{}")
    let settings = try folder.load().get().settings
    let rules = settings.messageRules(projectIDs: ["chat": "of-the-account"])
    let app = try #require(rules.apps.first)
    #expect(app.name == "chat" && app.androidStyle == .data)
    #expect(app.apns?.topic == "com.example.chat" && app.apns?.environment == .sandbox)
    #expect(app.fcm?.projectID == "of-the-account")
    #expect(app.dataKeys.room == "roomId" && app.dataKeys.type == "type")
    #expect(app.channels["daily_menu"]?.sound == SoundRule.none)
    #expect(app.texts.image == "Picture" && app.texts.missedCall == "Missed call")
    #expect(rules.types["promo"]?.ttl == 3_600 && rules.types["promo"]?.builtIn == nil)
    #expect(rules.types["call"]?.ttl == 20 && rules.types["call"]?.pushType == .voip)
    #expect(rules.types.count == 8)
    #expect(rules.limits.devices == 500)
    let keys = settings.credentials.map(\.key)
    #expect(
      keys == [
        CredentialKey(app: "chat", provider: .apns, environment: .production),
        CredentialKey(app: "chat", provider: .apns, environment: .sandbox),
        CredentialKey(app: "chat", provider: .fcm),
      ])
    #expect(settings.credentials[1].endpoint.port == 2_198)
    #expect(settings.credentials[1].settingsKey == "apps.chat.apns.production.keyFile")
  }

  @Test func `flag wins over environment, environment over file, file over default`() throws {
    let folder = SettingsFolder(
      """
      redis: {url: "redis://file"}
      workers: 2
      threads: 3

      """)
    let environment = ["ALLIM_WORKERS": "5", "ALLIM_REDIS_URL": "redis://environment", "HOME": "/"]
    let flag = SettingsSource.Flag(name: "--redis", key: "redis.url", value: "redis://flag")
    let loaded = try folder.load(environment: environment, flags: [flag]).get()
    #expect(loaded.settings.redis.url == "redis://flag")
    #expect(loaded.settings.workers == .count(5))
    #expect(loaded.settings.threads == .count(3))
    #expect(loaded.settings.request.timeout == .seconds(15))
    func origin(_ key: String) -> String? {
      loaded.effective.first { $0.key == key }?.origin.replacing(folder.path + "/", with: "")
    }
    #expect(origin("redis.url") == "flag --redis")
    #expect(origin("workers") == "environment ALLIM_WORKERS")
    #expect(origin("threads") == "allim.yaml:3")
    #expect(origin("request.timeout") == "default")
  }

  @Test func `the environment reaches apps and types, and makes an app that the file lacks`() throws
  {
    let folder = SettingsFolder(
      """
      redis: {url: "redis://h"}
      apps:
        Chat-1: {fcm: {serviceAccountFile: a.json}}

      """)
    let environment = [
      "ALLIM_APPS_CHAT_1_FCM_PROJECT_ID": "one", "ALLIM_APPS_OTHER_FCM_SERVICE_ACCOUNT_FILE": "b",
      "ALLIM_TYPES_CALL_END_TTL": "7", "ALLIM_APPS_CHAT_1_ANDROID_STYLE": "data",
    ]
    let settings = try folder.load(environment: environment, isForWorker: false).get().settings
    #expect(settings.apps.map(\.name) == ["Chat-1", "other"])
    #expect(settings.apps.first?.fcm?.projectID == "one")
    #expect(settings.apps.first?.androidStyle == .data)
    #expect(settings.apps.last?.fcm?.serviceAccountFile == "b")
    #expect(settings.types["callEnd"]?.ttl == 7)
  }

  @Test func `variables are expanded, and a doubled dollar keeps the text`() throws {
    let folder = SettingsFolder(
      """
      redis: {url: "redis://:${PASSWORD}@h"}
      apps: {a: {fcm: {serviceAccountFile: f}, texts: {image: "$${X} ${EMPTY}!", missedCall: "€"}}}

      """)
    let environment = ["PASSWORD": "p: {x}", "EMPTY": ""]
    let settings = try folder.load(environment: environment, isForWorker: false).get().settings
    #expect(settings.redis.url == "redis://:p: {x}@h")
    #expect(settings.apps.first?.texts.image == "${X} !")
    #expect(
      SettingsFolder("redis: {url: \"redis://${ABSENT}\"}").problems() == [
        "allim.yaml:1: redis.url: \"${ABSENT}\": the variable is not set in the environment"
      ])
  }

  @Test func `a secret may stand in a file of its own`() throws {
    let folder = SettingsFolder("redis: {urlFile: url}")
    folder.add("url", "redis://:secret@h\n")
    #expect(try folder.load().get().settings.redis.url == "redis://:secret@h")
    let both = SettingsFolder("redis: {url: \"redis://h\", urlFile: url}")
    both.add("url", "redis://:secret@h\n")
    #expect(
      both.problems() == [
        "allim.yaml:1: redis.urlFile: given twice: redis.url and redis.urlFile exclude each other"
      ])
  }

  @Test func `secrets are hidden wherever a value is shown`() throws {
    let folder = SettingsFolder("redis: {url: \"redis://allim:p@ss@h:1/0\"}")
    let loaded = try folder.load().get()
    #expect(loaded.effective.first { $0.key == "redis.url" }?.value == "redis://allim:***@h:1/0")
    let bad = SettingsFolder("redis: {url: \"http://allim:p@ss@h\"}").problems()
    #expect(bad.count == 1 && bad[0].contains("\"http://allim:***@h\""))
    #expect(!bad[0].contains("p@ss"))
  }

  @Test func `a proxy has an address, a user, and a password in a file`() throws {
    let folder = SettingsFolder("proxy: {url: \"http://[::1]:3128/\", user: svc, passwordFile: p}")
    folder.add("p", "p@ss:1\n")
    let proxy = try folder.load(isForWorker: false).get().settings.proxy
    #expect(proxy.address == HostPort(host: "::1", port: 3128))
    #expect(proxy.user == "svc" && proxy.password == "p@ss:1")
  }

  @Test func `auto makes no more threads than a credential may have connections`() throws {
    let folder = SettingsFolder(
      "apps: {a: {fcm: {serviceAccountFile: f, connections: {max: 3}}}}")
    var settings = try folder.load(isForWorker: false).get().settings
    #expect(settings.shardCount(cores: 2) == 1)
    #expect(settings.shardCount(cores: 64) == 3)
    settings.threads = .count(2)
    #expect(settings.shardCount(cores: 64) == 2)
  }
}
