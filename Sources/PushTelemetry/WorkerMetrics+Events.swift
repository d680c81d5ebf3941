package import PushModel

// Metrics of rare events, resolved when they happen; a lock and a look-up each.
extension WorkerMetrics {
  /// An answer that was no success. `reason` must be of the provider's published set; another is
  /// counted as `other`, so that a provider's new words cannot grow the set.
  package func rejected(_ provider: Provider, reason: String, isKnown: Bool) {
    registry.counter(
      "rejections", help: "Answers other than success, by reason.",
      ["provider": provider.rawValue, "reason": isKnown ? reason : "other"]
    ).add()
  }

  package func retried(_ provider: Provider, cause: RetriedBecause) {
    registry.counter(
      "retries", help: "Attempts that were put off.",
      ["provider": provider.rawValue, "cause": cause.rawValue]
    ).add()
  }

  package func invalidToken(_ provider: Provider, reason: String, isKnown: Bool) {
    registry.counter(
      "invalid_tokens", help: "Device tokens fed back for removal.",
      ["provider": provider.rawValue, "reason": isKnown ? reason : "other"]
    ).add()
  }

  package func connection(_ provider: Provider, _ event: ConnectionEvent) {
    registry.counter(
      "connection_events", help: "What happened to connections.",
      ["provider": provider.rawValue, "event": event.rawValue]
    ).add()
  }

  package func redisError(_ kind: RedisErrorKind) {
    registry.counter("redis_errors", help: "Failures of Redis.", ["kind": kind.rawValue]).add()
  }

  /// When a key or certificate ends, in UNIX seconds.
  package func credentialExpires(app: String, kind: CredentialKind, at moment: Int64) {
    registry.gauge(
      "credential_expiry_timestamp_seconds", help: "When a key or certificate ends.",
      ["app": app, "kind": kind.rawValue]
    ).set(Int(moment))
  }

  /// The first end of a key or certificate of an app, in UNIX seconds; nil = none is known.
  package func credentialExpiry(app: String) -> Int? {
    [CredentialKind.certificate, .key].compactMap { kind in
      registry.value(
        of: "credential_expiry_timestamp_seconds", ["app": app, "kind": kind.rawValue])
    }.min().map { Int($0) }
  }

  package enum RetriedBecause: String, Sendable, CaseIterable {
    case server, throttled, connection, auth, paused
    case newConnection = "new_connection"
    case tokenUpdates = "token_updates"
    case unknown
  }

  package enum ConnectionEvent: String, Sendable, CaseIterable {
    case opened, goaway, reset
    case pingTimeout = "ping_timeout"
    case tlsError = "tls_error"
  }

  package enum RedisErrorKind: String, Sendable, CaseIterable {
    case unreachable, refusing, misconfigured, fenced
    case fewReplicas = "few_replicas"
  }

  package enum CredentialKind: String, Sendable, CaseIterable {
    case certificate, key
    case providerToken = "provider_token"
    case accessToken = "access_token"
  }
}
