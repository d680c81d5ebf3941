import PushCodec

/// The parts of a SendMessageRequest as token numbers, in either spelling of the names.
struct FCMMessageView {
  struct Target {
    enum Kind: String { case token, fid, topic, condition }
    let kind: Kind
    let value: [UInt8]
  }

  let text: JSONText
  let message: Int
  let isValidateOnly: Bool
  let targets: [Target]
  let data: Int?
  let notification: Int?
  let android: Int?
  let androidV2: Int?
  let apns: Int?
  let webpush: Int?

  /// Nil when there is no message in it.
  init?(_ text: JSONText) {
    guard let message = text.given("message", of: 0), text.kind(message) == .object else {
      return nil
    }
    self.text = text
    self.message = message
    let only =
      text.given("validate_only", of: 0) ?? text.given("validateOnly", of: 0)
    isValidateOnly = only.map { text.kind($0) == .yes } ?? false
    let kinds: [(StaticString, Target.Kind)] = [
      ("token", .token), ("fid", .fid), ("topic", .topic), ("condition", .condition),
    ]
    targets = kinds.compactMap { name, kind in
      text.given(name, of: message).map { Target(kind: kind, value: text.utf8($0)) }
    }
    data = text.given("data", of: message)
    notification = text.given("notification", of: message)
    android = text.given("android", of: message)
    androidV2 = text.given("androidV2", of: message) ?? text.given("android_v2", of: message)
    apns = text.given("apns", of: message)
    webpush = text.given("webpush", of: message)
  }

  func given(_ camel: StaticString, _ snake: StaticString, of object: Int) -> Int? {
    text.given(camel, of: object) ?? text.given(snake, of: object)
  }

  func members(_ object: Int) -> [(key: Int, value: Int)] {
    var all: [(key: Int, value: Int)] = []
    guard text.kind(object) == .object else { return [] }
    text.forEachMember(of: object) { key, value in
      all.append((key, value))
      return true
    }
    return all
  }

  /// Every map of custom data in the message.
  var dataObjects: [Int] {
    [message, android, androidV2, webpush].compactMap { block in
      block.flatMap { text.given("data", of: $0) }
    }
  }

  var androidNotification: Int? {
    if let android { return text.given("notification", of: android) }
    return androidV2.flatMap { given("remoteNotification", "remote_notification", of: $0) }
      .flatMap { text.given("notification", of: $0) }
  }

  var apsObject: Int? {
    apns.flatMap { text.given("payload", of: $0) }.flatMap { text.given("aps", of: $0) }
  }

  /// Data and nothing to show: `data` beside an `aps.alert` is not data-only (protocol/fcm.md 2.6).
  var isDataOnly: Bool {
    guard data != nil, notification == nil else { return false }
    guard let aps = apsObject else { return true }
    return text.given("alert", of: aps) == nil && text.given("badge", of: aps) == nil
      && text.given("sound", of: aps) == nil
  }

  /// All analytics labels.
  var labels: [Int] {
    [message, android, androidV2, apns, webpush].compactMap { block in
      block.flatMap { given("fcmOptions", "fcm_options", of: $0) }
        .flatMap { given("analyticsLabel", "analytics_label", of: $0) }
    }
  }
}
