/// Why there is no access token.
package struct AccessTokenTrouble: Error, Sendable, Equatable {
  /// True when a person must act: the account, its key, its rights or the clock.
  package var isConfiguration: Bool
  /// The token endpoint's status; 0 when no answer came.
  package var status: Int
  /// RFC 6749's error code, such as `invalid_grant`; may be empty.
  package var reason: String
  package var detail: String
  /// What the endpoint asked us to wait.
  package var retryAfter: Duration?

  package init(
    isConfiguration: Bool, status: Int = 0, reason: String = "", detail: String,
    retryAfter: Duration? = nil
  ) {
    self.isConfiguration = isConfiguration
    self.status = status
    self.reason = reason
    self.detail = detail
    self.retryAfter = retryAfter
  }
}

/// When an access token is used, fetched and given up (fcm.md 4), without clock and network.
///
/// One exchange at a time. A token is renewed five minutes before its end and used meanwhile; after
/// a failure the next exchange waits, longer each time.
struct AccessTokenPlan: Sendable {
  enum Need: Sendable, Equatable {
    /// Send with this one.
    case use(ProviderToken)
    /// Send with this one, and start an exchange.
    case useAndFetch(ProviderToken)
    /// Start an exchange and wait for it.
    case fetch
    /// Wait for the exchange that runs.
    case wait
    /// The last exchange failed and the next is not due.
    case refuse(AccessTokenTrouble)
  }

  private struct Held: Sendable {
    var token: ProviderToken
    /// Monotonic nanoseconds, all three.
    var made: Int64
    var renewal: Int64
    var end: Int64
  }

  /// A token refused sooner is not the reason: the rights or the project are.
  static let youngest: Int64 = 60 * 1_000_000_000
  private static let second: Int64 = 1_000_000_000

  private var held: Held?
  private var isFetching = false
  private var serial = 0
  private var failures = 0
  private var nextExchange = Int64.min
  private var trouble: AccessTokenTrouble?

  /// The token to send with, when nothing has to be done for it.
  func present(now: Int64) -> ProviderToken? {
    guard let held, now < held.end else { return nil }
    return now >= held.renewal && mayFetch(now) ? nil : held.token
  }

  private func mayFetch(_ now: Int64) -> Bool { !isFetching && now >= nextExchange }

  mutating func need(now: Int64) -> Need {
    if let token = present(now: now) { return .use(token) }
    let mayFetch = mayFetch(now)
    if let held, now < held.end {
      isFetching = true
      return .useAndFetch(held.token)
    }
    if isFetching { return .wait }
    if !mayFetch, let trouble { return .refuse(trouble) }
    isFetching = true
    return .fetch
  }

  /// For one who meant to wait: the answer, when the exchange has ended meanwhile.
  func settled(now: Int64) -> Result<ProviderToken, AccessTokenTrouble>? {
    if isFetching { return nil }
    if let held, now < held.end { return .success(held.token) }
    return .failure(trouble ?? AccessTokenTrouble(isConfiguration: false, detail: "no token"))
  }

  /// A token came that was asked for at `now`.
  mutating func arrived(_ accessToken: [UInt8], lifetime: Int64, now: Int64) -> ProviderToken {
    isFetching = false
    failures = 0
    trouble = nil
    serial += 1
    nextExchange = Int64.min
    let token = ProviderToken(
      authorization: Array("Bearer ".utf8) + accessToken, serial: serial)
    // Short lives, as a simulator gives them, are renewed at half.
    let life = min(max(lifetime, 1), 86_400) * Self.second
    held = Held(
      token: token, made: now, renewal: now + max(life - 300 * Self.second, life / 2),
      end: now + life - min(10 * Self.second, life / 10))
    return token
  }

  /// - Parameter spread: uniform in 0.5 to 1.5, so that hosts do not come back in step.
  mutating func failed(_ trouble: AccessTokenTrouble, now: Int64, spread: Double) {
    isFetching = false
    self.trouble = trouble
    // A person may put it right at any time, and the breaker probes every 15 s.
    let base = trouble.isConfiguration ? 10.0 : min(60.0, Double(1 << min(failures, 6)))
    failures += 1
    let asked = (trouble.retryAfter ?? .zero) / .seconds(1)
    nextExchange = now + Int64(max(base * spread, asked) * Double(Self.second))
  }

  /// A provider answered 401 to `token`. True when another one may be tried.
  mutating func refused(_ token: ProviderToken, now: Int64) -> Bool {
    guard let held, held.token.serial == token.serial else { return true }
    guard now - held.made >= Self.youngest else { return false }
    self.held = nil
    return true
  }
}
