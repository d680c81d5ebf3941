internal import PushModel

/// The keys of the configuration: the single source for reading, the environment, `check-config`
/// and the reference. Defaults stand in `Settings`.
enum SettingsTable {
  static let root: [SettingRow<Settings>] = [
    .optional(
      "redis.url", \.redis.url, .redisURL,
      "Where Redis is: redis://user:password@host:6379/0, rediss:// with TLS, unix:///path, "
        + "sentinel://user:password@host,host/master/0, cluster://user:password@host,host (with TLS "
        + "as sentinel+tls://, cluster+tls://), or embedded for a private one in ./.allim."),
    .secretFile(of: "redis.url", \.redis.url, .redisURL),
    .optionalFile("redis.tls.caFile", \.redis.tls.caFile, "CA certificates trusted for Redis."),
    .optionalFile("redis.tls.certFile", \.redis.tls.certFile, "Our certificate for Redis."),
    .optionalFile("redis.tls.keyFile", \.redis.tls.keyFile, "The key of our certificate."),
    .optional(
      "redis.tls.serverName", \.redis.tls.serverName, .text,
      "The name that Redis' certificate must have, when it is not the URL's host."),
    .key(
      "redis.allowEviction", \.redis.allowEviction, .flag,
      "Start although Redis may drop keys when its memory is full."),
    .key(
      "redis.wait.replicas", \.redis.wait.replicas, .count(0...16),
      "Replicas that must have a result before it counts as stored (WAIT); 0 waits for none."),
    .key(
      "redis.wait.timeout", \.redis.wait.timeout,
      .duration(.milliseconds(1) ... .seconds(4)),
      "How long they are waited for; then there is a warning, and work goes on."),
    .key(
      "workers", \.workers, .workers(1...65_536),
      "Pushes in progress at once in this process: the pool of worker tasks; auto follows rate × "
        + "round trip."),
    .key("threads", \.threads, .threads, "Loops with a thread each; auto is one for two cores."),
    .key(
      "retry.apns.quick", \.retry.apns.quick, .durations(.zero ... .seconds(3_600)),
      "Bounds of the pauses before the quick tries after a 5xx of APNs."),
    .key(
      "retry.apns.quickTries", \.retry.apns.quickTries, .count(0...10),
      "Quick tries, each on another connection, before the curve."),
    .key("retry.apns.base", \.retry.apns.base, pause, "First pause of the curve."),
    .key("retry.apns.max", \.retry.apns.max, pause, "Longest pause of the curve."),
    .key("retry.apns.for", \.retry.apns.window, pause, "After so long a push is given up."),
    .key("retry.fcm.base", \.retry.fcm.base, pause, "First pause of the curve."),
    .key("retry.fcm.max", \.retry.fcm.max, pause, "Longest pause of the curve."),
    .key(
      "retry.fcm.after429", \.retry.fcm.after429, pause,
      "Pause after a 429 that names none itself."),
    .key("retry.fcm.for", \.retry.fcm.window, pause, "After so long a push is given up."),
    .key(
      "retry.connection.base", \.retry.connection.base, pause,
      "First pause after a connection that could not be opened or was lost."),
    .key("retry.connection.max", \.retry.connection.max, pause, "Longest such pause."),
    .key(
      "limits.itemBytes", \.limits.itemBytes, .size(1_024...33_554_432),
      "A larger item is dead-lettered as item_too_large."),
    .key(
      "limits.devices", \.limits.devices, .count(1...100_000), "Most devices of one event."),
    .key("limits.depth", \.limits.depth, .count(8...64), "Deepest nesting of an event's JSON."),
    .key(
      "dead.max", \.dead.max, .count(1...100_000_000), "Most dead letters of a queue."),
    .key(
      "dead.maxBytes", \.dead.maxBytes, .size(1_048_576...1_099_511_627_776),
      "Their most bytes together."),
    .key(
      "dead.maxAge", \.dead.maxAge, .duration(.seconds(60) ... .seconds(366 * 86_400)),
      "Older dead letters are dropped and counted."),
    .key(
      "dead.whenFull", \.dead.whenFull, .choice,
      "A new letter waits for room (park), or the oldest make room and are counted."),
    .key(
      "invalid.max", \.invalid.max, .count(1...100_000_000),
      "Most dead device tokens in the feedback list of a queue; the oldest make room and are "
        + "counted."),
    .key(
      "receipts.enabled", \.receipts.enabled, .flag,
      "Write how each target ended to a stream of the queue."),
    .key(
      "receipts.max", \.receipts.max, .count(1...100_000_000),
      "Most entries of that stream, about; the oldest go first."),
    .key(
      "shutdown.grace", \.shutdown.grace, .duration(.zero ... .seconds(3_600)),
      "How long pushes in progress may take to end after TERM."),
    .key(
      "ping.apns", \.ping.apns, .durationOrOff(.seconds(1) ... .seconds(3_600)),
      "Silence after which a connection to APNs is asked whether it lives."),
    .key(
      "ping.fcm", \.ping.fcm, .durationOrOff(.seconds(1) ... .seconds(3_600)),
      "The same for FCM."),
    .key(
      "request.timeout", \.request.timeout, .duration(.milliseconds(100) ... .seconds(300)),
      "How long an answer may take."),
    .key(
      "breaker.openAfter", \.breaker.openAfter, .count(1...1_000),
      "Faults of a provider in a row after which its work waits."),
    .key(
      "breaker.probeMax", \.breaker.probeMax, .duration(.seconds(1) ... .seconds(300)),
      "Longest pause until one push tries again."),
    .optional(
      "admin.listen", \.admin.listen, .hostPort,
      "Where the page, its API, /livez, /readyz and /metrics are served; unset: 127.0.0.1:9464, or a "
        + "free port when that is taken."),
    .optionalFile(
      "admin.tokenFile", \.admin.tokenFile,
      "The token for changing calls, and for all calls at an address other than loopback; unset: "
        + "one is made in .allim/admin-token."),
    .key("admin.readOnly", \.admin.readOnly, .flag, "Refuse every call that changes something."),
    .key("admin.metricsToken", \.admin.metricsToken, .flag, "Ask for the token at /metrics too."),
    .key("log.level", \.log.level, .choice, "The lowest level that is written."),
    .key("log.format", \.log.format, .choice, "One JSON object a line, or key=value pairs."),
    .key(
      "endpoints.apnsProduction", \.endpoints.apnsProduction, .hostPort,
      "Where production devices are reached."),
    .key(
      "endpoints.apnsSandbox", \.endpoints.apnsSandbox, .hostPort,
      "Where sandbox devices are reached."),
    .key("endpoints.fcm", \.endpoints.fcm, .hostPort, "Where FCM is."),
    .optional(
      "endpoints.oauth", \.endpoints.oauth, .httpsURL,
      "Where access tokens come from; unset: the service account's token_uri."),
    .optionalFile(
      "endpoints.caFile", \.endpoints.caFile,
      "CA certificates trusted for these endpoints, instead of the system's."),
    .optional(
      "proxy.url", \.proxy.address, .proxyURL,
      "An HTTP proxy (CONNECT) that every connection to a provider goes through."),
    .optional("proxy.user", \.proxy.user, .proxyUser, "The user that the proxy knows."),
    .secretFile(of: "proxy.password", \.proxy.password, .text),
  ]

  /// Of each entry of `queues:`.
  static let queue: [SettingRow<Settings.Queue>] = [
    .key("name", \.name, .queueName, "The list that producers push to."),
    .key(
      "weight", \.weight, .count(1...1_000),
      "Its part of the workers while other lists wait too."),
    .key(
      "lease", \.lease, .duration(.seconds(2) ... .seconds(300)),
      "After so long without a sign of life, an instance's items are taken over."),
  ]

  private static let pause = ValueType<Duration>.duration(.milliseconds(1) ... .seconds(86_400))
}
