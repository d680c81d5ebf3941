/// One entry of `POST /rules` or `--rules F`: which requests, and what happens to them.
struct Rule: Sendable {
  struct Match: Sendable {
    /// `apns`, `fcm` or `oauth`; nil fits all.
    var provider: ProviderName?
    /// The device token, registration token or FID as a whole.
    var token: [UInt8]?
    var tokenPrefix: [UInt8]?
    /// Of the requests that fit so far, only this one (from 1).
    var nth: Int?
    /// Of the requests that fit so far, each one whose number is a multiple. With `nth`: either.
    var every: Int?
  }

  struct Respond: Sendable {
    /// Nil: the ordinary answer, perhaps later.
    var status: Int?
    var reason: String?
    /// Milliseconds, in the body of a 410.
    var timestamp: Int64?
    /// Seconds, as a header.
    var retryAfter: Int?
    var delay: Int64 = 0
    var body: [UInt8]?
  }

  enum Action: String, Sendable, CaseIterable {
    /// Never answers.
    case hang
    /// RST_STREAM INTERNAL_ERROR.
    case reset
    /// RST_STREAM REFUSED_STREAM: not processed.
    case refuse
    /// GOAWAY that still covers this request, which is answered.
    case goaway
    /// GOAWAY below this request, which was not processed then.
    case goawayBelow
    /// Closes the socket at once.
    case close
    /// The connection stays open and says nothing more.
    case blackhole
    /// Acknowledges no PING from now on.
    case pingSilent = "ping-silent"
  }

  struct Settings: Sendable {
    var maxConcurrentStreams: UInt32?
    var initialWindowSize: UInt32?
  }

  var match = Match()
  var respond: Respond?
  var action: Action?
  var settings: Settings?
  /// How often it may be used; nil = always.
  var times: Int?
}

/// Which service a request came to.
package enum ProviderName: String, Sendable, CaseIterable { case apns, fcm, oauth }

/// The rules in force with what they have counted: the first that fits wins.
struct RuleBook {
  private struct Entry {
    let rule: Rule
    var fitted = 0
    var used = 0
  }

  private var entries: [Entry] = []

  init(_ rules: [Rule] = []) { entries = rules.map { Entry(rule: $0) } }

  var isEmpty: Bool { entries.isEmpty }

  /// The rule for this request, which counts as used.
  mutating func match(_ provider: ProviderName, token: ArraySlice<UInt8>) -> Rule? {
    for index in entries.indices where take(index, provider, token) { return entries[index].rule }
    return nil
  }

  private mutating func take(
    _ index: Int, _ provider: ProviderName, _ token: ArraySlice<UInt8>
  ) -> Bool {
    let rule = entries[index].rule
    if let times = rule.times, entries[index].used >= times { return false }
    let match = rule.match
    if let wanted = match.provider, wanted != provider { return false }
    if let wanted = match.token, !token.elementsEqual(wanted) { return false }
    if let prefix = match.tokenPrefix, !token.starts(with: prefix) { return false }
    entries[index].fitted += 1
    guard isTurn(match, entries[index].fitted) else { return false }
    entries[index].used += 1
    return true
  }

  private func isTurn(_ match: Rule.Match, _ number: Int) -> Bool {
    if match.nth == nil, match.every == nil { return true }
    if match.nth == number { return true }
    return match.every.map { number.isMultiple(of: $0) } ?? false
  }
}
