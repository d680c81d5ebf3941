import PushCodec

/// What FCM wants of a message whose shape is right (protocol/fcm.md 2).
struct FCMMessageCheck {
  let view: FCMMessageView

  func check() throws(FCMRefusal) {
    try checkTargets()
    try checkDataKeys()
    try checkAndroid()
    try checkAPNs()
    try checkWebpush()
    try checkLabels()
    try FCMSizeCheck(view: view).check()
  }

  // MARK: Targets (protocol/fcm.md 2 and 3)

  private func checkTargets() throws(FCMRefusal) {
    let targets = view.targets
    guard let first = targets.first else {
      // As captured: both details.
      let text = "Recipient of the message is not set."
      throw FCMRefusal(
        status: 400, message: text, error: .invalidArgument,
        violations: [FieldViolation(field: "message", description: text)])
    }
    if targets.count > 1 {
      let text =
        "Invalid value at 'message' (oneof), oneof field 'target' is already set."
        + " Cannot set '\(targets[1].kind.rawValue)'"
      throw .malformed([FieldViolation(field: "message", description: text)])
    }
    try check(first)
  }

  private func check(_ target: FCMMessageView.Target) throws(FCMRefusal) {
    switch target.kind {
    case .token:
      // Its form is not fixed; what no token can be is refused.
      guard target.value.count <= 4_096, !target.value.isEmpty,
        target.value.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
      else { throw .invalid("The registration token is not a valid FCM registration token") }
    case .fid:
      // Malformed and dead look the same (protocol/fcm.md 3).
      guard (16...64).contains(target.value.count), target.value.allSatisfy(isURLBase64)
      else { throw .fate(.unregistered) }
    case .topic:
      guard !target.value.isEmpty, target.value.allSatisfy(isTopicByte) else {
        throw .invalid("Invalid topic name")
      }
    case .condition:
      let topics = FCMCondition.topics(target.value)
      guard let topics else { throw .invalid("Invalid condition expression provided.") }
      if topics > 5 { throw .invalid("Topic condition has more than 5 topics.") }
    }
  }

  private func isURLBase64(_ byte: UInt8) -> Bool {
    (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte &- UInt8(ascii: "0") < 10
      || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
  }

  private func isTopicByte(_ byte: UInt8) -> Bool {
    isURLBase64(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "~")
      || byte == UInt8(ascii: "%")
  }

  // MARK: Data (protocol/fcm.md 2.6)

  private func checkDataKeys() throws(FCMRefusal) {
    for data in view.dataObjects {
      for (key, _) in view.members(data) {
        // The error page is broader than the reference; the broader rule is the safe one.
        let name = view.text.utf8(key)[...]
        if Self.reservedKeys.contains(where: { Bytes.areEqual(name, $0) })
          || Self.reservedPrefixes.contains(where: { Bytes.hasPrefix(name, $0) })
        {
          throw .invalid("Invalid data payload key: \(view.text.string(key))")
        }
      }
    }
  }

  private static let reservedKeys = ["from", "message_type"].map { Array($0.utf8) }
  private static let reservedPrefixes = ["google", "gcm"].map { Array($0.utf8) }

  // MARK: Platforms (protocol/fcm.md 2.1 to 2.5)

  private func checkAndroid() throws(FCMRefusal) {
    if view.android != nil, view.androidV2 != nil {
      throw .invalid("Only one of android and androidV2 may be set.")
    }
    if let v2 = view.androidV2 { try checkV2(v2) }
    for block in [view.android, view.androidV2].compactMap({ $0 }) {
      if let ttl = view.given("ttl", "ttl", of: block),
        let nanoseconds = FCMDuration.nanoseconds(view.text.utf8(ttl)),
        nanoseconds < 0 || nanoseconds > 2_419_200 * 1_000_000_000
      {
        throw .invalid("Invalid ttl: it must be 0 to 2419200 seconds.")
      }
    }
    if let notification = view.androidNotification { try checkNotification(notification) }
  }

  private func checkV2(_ v2: Int) throws(FCMRefusal) {
    let remote = view.given("remoteNotification", "remote_notification", of: v2)
    let sync = view.given("backgroundSync", "background_sync", of: v2)
    guard (remote == nil) != (sync == nil) else {
      throw .invalid("androidV2 has exactly one of remote_notification and background_sync.")
    }
    if let remote, view.given("notification", "notification", of: remote) == nil {
      throw .invalid("remote_notification.notification is required.")
    }
  }

  private func checkNotification(_ notification: Int) throws(FCMRefusal) {
    if let color = view.given("color", "color", of: notification) {
      let text = view.text.utf8(color)
      guard text.count == 7, text[0] == UInt8(ascii: "#"),
        UInt32(String(decoding: text[1...], as: UTF8.self), radix: 16) != nil
      else { throw .invalid("Invalid notification color: it has the form #rrggbb.") }
    }
    for (args, key) in [
      (
        view.given("bodyLocArgs", "body_loc_args", of: notification),
        view.given("bodyLocKey", "body_loc_key", of: notification)
      ),
      (
        view.given("titleLocArgs", "title_loc_args", of: notification),
        view.given("titleLocKey", "title_loc_key", of: notification)
      ),
    ] where args != nil && key == nil {
      throw .invalid("Localization arguments need their localization key.")
    }
    if let light = view.given("lightSettings", "light_settings", of: notification) {
      try checkLight(light)
    }
  }

  private func checkLight(_ light: Int) throws(FCMRefusal) {
    guard let color = view.given("color", "color", of: light),
      view.given("lightOnDuration", "light_on_duration", of: light) != nil,
      view.given("lightOffDuration", "light_off_duration", of: light) != nil
    else {
      throw .invalid("light_settings has color, light_on_duration and light_off_duration.")
    }
    for (_, value) in view.members(color) {
      guard let number = view.text.number(value) else { continue }
      if number < 0 || number > 1 { throw .invalid("A color component is 0 to 1.") }
    }
  }

  /// Data alone to an Apple device: only priority 5 is allowed, and absent means 10.
  private func checkAPNs() throws(FCMRefusal) {
    guard let apns = view.apns, view.isDataOnly else { return }
    // An activity's update is shown, whatever its priority (protocol/fcm.md 11).
    if view.given("liveActivityToken", "live_activity_token", of: apns) != nil { return }
    let priority = view.given("headers", "headers", of: apns).flatMap {
      view.text.given("apns-priority", of: $0)
    }
    // Headers alone say nothing of the device: Google's own sample sets an expiration there.
    if priority == nil, view.given("payload", "payload", of: apns) == nil { return }
    if let priority, view.text.isString(priority, "5") { return }
    throw .invalid("A data-only message to an Apple device has apns-priority 5.")
  }

  private func checkWebpush() throws(FCMRefusal) {
    guard let webpush = view.webpush,
      let options = view.given("fcmOptions", "fcm_options", of: webpush),
      let link = view.given("link", "link", of: options)
    else { return }
    if !view.text.string(link).hasPrefix("https://") {
      throw .invalid("webpush.fcm_options.link is an https URL.")
    }
  }

  private func checkLabels() throws(FCMRefusal) {
    for label in view.labels {
      let text = view.text.utf8(label)
      guard (1...50).contains(text.count), text.allSatisfy(isTopicByte) else {
        throw .invalid("Invalid analytics label.")
      }
    }
  }
}
