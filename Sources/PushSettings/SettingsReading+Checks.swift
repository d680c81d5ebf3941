// What only several keys together can tell.
extension SettingsReading {
  mutating func check(_ settings: Settings, isForWorker: Bool) {
    for app in settings.apps { check(app, settings.endpoints) }
    check(settings.queues)
    if case .count(let threads) = settings.threads { enough(settings, for: threads) }
    pairs(settings)
    if isForWorker { files(settings) }
  }

  /// `a` and `{a}` are two lists with the same companions.
  private mutating func check(_ queues: [Settings.Queue]) {
    var names: Set<String> = []
    for (number, queue) in queues.enumerated() {
      let tag = queue.name.hasPrefix("{") && queue.name.hasSuffix("}")
      if !names.insert(tag ? String(queue.name.dropFirst().dropLast()) : queue.name).inserted {
        wrong("queues.\(number).name", queue.name, "not allowed; allowed: a name of its own")
      }
    }
  }

  private mutating func check(_ app: Settings.App, _ endpoints: Settings.Endpoints) {
    let key = "apps.\(app.name)"
    if app.apns == nil, app.fcm == nil { missing(key, "apns or fcm is required") }
    if let apns = app.apns {
      require(!apns.topic.isEmpty, key + ".apns.topic", "the app's bundle id")
      if apns.production == nil, apns.sandbox == nil {
        missing(
          key + ".apns",
          "production or sandbox is required: {keyFile, keyId, teamId} or {certificateFile}")
      }
      complete(apns.production, key + ".apns.production")
      complete(apns.sandbox, key + ".apns.sandbox")
      let isLocal = endpoints.apnsProduction.isLoopback && endpoints.apnsSandbox.isLoopback
      check(apns.connections, key + ".apns.connections", isLocal: isLocal)
    }
    if let fcm = app.fcm {
      require(
        !fcm.serviceAccountFile.isEmpty, key + ".fcm.serviceAccountFile", "the name of a file")
      check(fcm.connections, key + ".fcm.connections", isLocal: endpoints.fcm.isLoopback)
    }
  }

  private mutating func complete(_ token: Settings.TokenKey?, _ key: String) {
    guard let token else { return }
    if let certificate = token.certificateFile {
      if !(token.keyFile + token.keyID + token.teamID).isEmpty {
        wrong(
          key + ".certificateFile", certificate,
          "not allowed beside keyFile, keyId and teamId; one of the two is used")
      }
      return
    }
    if let password = token.passwordFile {
      wrong(
        key + ".passwordFile", password, "is for a certificateFile; a .p8 key has no password")
    }
    require(!token.keyFile.isEmpty, key + ".keyFile", "the name of a .p8 file")
    require(!token.keyID.isEmpty, key + ".keyId", "10 letters or digits")
    require(!token.teamID.isEmpty, key + ".teamId", "10 letters or digits")
  }

  private mutating func check(
    _ connections: Settings.Connections, _ key: String, isLocal: Bool
  ) {
    if connections.min > connections.max {
      wrong(
        key + ".min", "\(connections.min)", "not allowed; allowed: up to max (\(connections.max))")
    }
    if connections.requestsPerSecond == 0, !isLocal {
      wrong(
        key + ".requestsPerSecond", "0",
        "not allowed; allowed: 1 to 100, and 0 only when the endpoints are on this machine")
    }
  }

  /// Each thread has a connection of its own, and all together no more than were allowed.
  private mutating func enough(_ settings: Settings, for threads: Int) {
    for app in settings.apps {
      let all = [("apns", app.apns?.connections.max), ("fcm", app.fcm?.connections.max)]
      for case (let provider, .some(let most)) in all where most < threads {
        wrong(
          "apps.\(app.name).\(provider).connections.max", "\(most)",
          "not allowed; allowed: threads (\(threads)) or more, since each has its own connection")
      }
    }
  }

  private mutating func pairs(_ settings: Settings) {
    let retry = settings.retry
    let curves = [
      ("apns", retry.apns.base, retry.apns.max), ("fcm", retry.fcm.base, retry.fcm.max),
      ("connection", retry.connection.base, retry.connection.max),
    ]
    for (name, base, max) in curves where base > max {
      wrong(
        "retry.\(name).base", Quantity.text(base),
        "not allowed; allowed: up to max (\(Quantity.text(max)))")
    }
    let tls = settings.redis.tls
    if (tls.certFile == nil) != (tls.keyFile == nil) {
      let absent = tls.certFile == nil ? "certFile" : "keyFile"
      missing("redis.tls.\(absent)", "certFile and keyFile belong together")
    }
    check(settings.proxy)
  }

  private mutating func check(_ proxy: Settings.Proxy) {
    let (user, password) = (proxy.user != nil, proxy.password != nil)
    if user || password { require(proxy.address != nil, "proxy.url", "http://host:port") }
    if user != password {
      missing(
        user ? "proxy.passwordFile" : "proxy.user", "missing; user and passwordFile belong together"
      )
    }
  }

  private mutating func files(_ settings: Settings) {
    for row in SettingsTable.root { readable(row.file(settings), row.path) }
    for app in settings.apps {
      for row in SettingsTable.app { readable(row.file(app), "apps.\(app.name).\(row.path)") }
    }
  }

  private mutating func readable(_ path: String?, _ key: String) {
    guard let path else { return }
    do throws(SettingsFile.Failure) {
      _ = try SettingsFile.read(path)
    } catch { wrong(key, path, "cannot be read: \(error.reason)") }
  }

  private mutating func require(_ isThere: Bool, _ key: String, _ allowed: String) {
    // A value that was refused is there, and already reported.
    if !isThere, places[key] == nil { missing(key, "missing; allowed: \(allowed)") }
  }

  private mutating func missing(_ key: String, _ reason: String) {
    add(place(of: key, in: places), key, nil, reason)
  }

  private mutating func wrong(_ key: String, _ value: String, _ reason: String) {
    add(place(of: key, in: places), key, value, reason)
  }
}
