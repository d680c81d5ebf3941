/// The shapes of an FCM v1 message (protocol/fcm-v1-discovery.json), keys in snake_case.
indirect enum FCMShape {
  case string, bool, int, float, duration, timestamp
  case choice([String])
  case strings, durations
  /// A map of strings to strings.
  case stringMap
  /// Free JSON.
  case free
  case object([String: FCMShape])

  static let message: FCMShape = .object([
    "name": .string, "fid": .string, "token": .string, "topic": .string, "condition": .string,
    "data": .stringMap,
    "notification": .object(["title": .string, "body": .string, "image": .string]),
    "android": .object(android), "androidV2": .object(androidV2),
    "apns": .object([
      "headers": .stringMap, "payload": .object([:]), "live_activity_token": .string,
      "fcm_options": .object(["analytics_label": .string, "image": .string]),
    ]),
    "webpush": .object([
      "headers": .stringMap, "data": .stringMap, "notification": .object([:]),
      "fcm_options": .object(["link": .string, "analytics_label": .string]),
    ]),
    "fcm_options": label,
  ])

  private static let label: FCMShape = .object(["analytics_label": .string])

  private static let shared: [String: FCMShape] = [
    "collapse_key": .string, "ttl": .duration, "restricted_package_name": .string,
    "data": .stringMap, "fcm_options": label, "direct_boot_ok": .bool,
    "bandwidth_constrained_ok": .bool, "restricted_satellite_ok": .bool,
  ]

  private static let android = shared.merging([
    "priority": .choice(["NORMAL", "HIGH", "normal", "high"]),
    "notification": .object(
      notification.merging([
        "proxy": .choice(["PROXY_UNSPECIFIED", "ALLOW", "DENY", "IF_PRIORITY_LOWERED"]),
        "bypass_proxy_notification": .bool,
      ]) { $1 }),
  ]) { $1 }

  private static let androidV2 = shared.merging([
    "background_sync": .object([:]),
    "remote_notification": .object([
      "mutable_content": .bool, "use_as_v1_data_message": .bool,
      "notification": .object(notification.merging(["id": .int]) { $1 }),
    ]),
  ]) { $1 }

  private static let notification: [String: FCMShape] = [
    "title": .string, "body": .string, "icon": .string, "color": .string, "sound": .string,
    "tag": .string, "click_action": .string, "body_loc_key": .string, "title_loc_key": .string,
    "body_loc_args": .strings, "title_loc_args": .strings, "channel_id": .string,
    "ticker": .string, "image": .string, "sticky": .bool, "local_only": .bool,
    "default_sound": .bool, "default_vibrate_timings": .bool, "default_light_settings": .bool,
    "event_time": .timestamp, "vibrate_timings": .durations, "notification_count": .int,
    "notification_priority": .choice([
      "PRIORITY_UNSPECIFIED", "PRIORITY_MIN", "PRIORITY_LOW", "PRIORITY_DEFAULT",
      "PRIORITY_HIGH", "PRIORITY_MAX",
    ]),
    "visibility": .choice(["VISIBILITY_UNSPECIFIED", "PRIVATE", "PUBLIC", "SECRET"]),
    "light_settings": .object([
      "light_on_duration": .duration, "light_off_duration": .duration,
      "color": .object(["red": .float, "green": .float, "blue": .float, "alpha": .float]),
    ]),
  ]

  /// The snake_case name of a field given in either form.
  static func canonical(_ name: String, in fields: [String: FCMShape]) -> String? {
    if fields[name] != nil { return name }
    if name == "android_v2" { return canonical("androidV2", in: fields) }
    var snake = ""
    for character in name {
      if character.isUppercase { snake.append("_") }
      snake.append(contentsOf: character.lowercased())
    }
    return name.contains("_") || fields[snake] == nil ? nil : snake
  }
}
