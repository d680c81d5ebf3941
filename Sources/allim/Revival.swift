internal import PushCodec
internal import PushModel
internal import PushQueue
internal import PushSettings

/// Decides which dead letters may be sent again, and as what.
struct Revival {
  private let settings: Settings
  private let codec: MessageCodec
  private let ttl: Int?

  /// - Parameter ttl: new lifetime in seconds from now; nil keeps each event's own.
  init(_ settings: Settings, ttl: Int?) {
    self.settings = settings
    codec = MessageCodec(
      rules: settings.messageRules(), credentials: Set(settings.credentials.map(\.key)))
    self.ttl = ttl
  }

  /// The letters that may go, and how many have expired.
  func retries(_ letters: [DeadLetter], now: Int64) -> (retries: [DeadRetry], expired: Int) {
    var retries: [DeadRetry] = []
    var expired = 0
    for letter in letters {
      guard let event = letter.event else { continue }
      if let event = revived(event, letter, now) {
        retries.append(
          DeadRetry(
            letter: letter.bytes, reason: letter.reason, id: letter.id,
            replays: letter.replays + 1, event: event))
      } else {
        expired += 1
      }
    }
    return (retries, expired)
  }

  /// The event to push; nil when it has expired.
  private func revived(_ event: [UInt8], _ letter: DeadLetter, _ now: Int64) -> [UInt8]? {
    if let ttl {
      let life: [(String, Int64)] = [("sentAt", now / 1_000), ("ttl", Int64(ttl))]
      return JSONObject(event)?.changed(without: ["sentAt", "ttl", "expiresAt"], adding: life)
        ?? event
    }
    let codec = codec(for: letter.app)
    let item = codec.decode(
      event, queueID: .written(letter.id), firstTaken: letter.takenAt, now: now)
    // What cannot be decoded is for the worker to judge.
    guard case .event(let decoded) = item else { return event }
    defer { codec.recycle(decoded) }
    guard decoded.expiresAt * 1_000 > now else { return nil }
    // Without a moment of its own it would live anew from the next take.
    guard decoded.sentAtIsEstimate, letter.takenAt > 0 else { return event }
    return JSONObject(event)?.changed(
      without: ["sentAt"], adding: [("sentAt", letter.takenAt / 1_000)])
  }

  /// Whether an event has expired does not depend on apps and keys, and an operator's machine need
  /// not have them: an app that the configuration lacks is decoded as if it were there.
  private func codec(for app: String?) -> MessageCodec {
    guard let app, !settings.apps.contains(where: { $0.name == app }) else { return codec }
    var rules = settings.messageRules()
    var known = AppRules(name: app)
    known.apns = AppRules.APNsRules(topic: "any")
    known.fcm = AppRules.FCMRules(projectID: "any")
    rules.apps = [known]
    return MessageCodec(rules: rules, credentials: [])
  }
}
