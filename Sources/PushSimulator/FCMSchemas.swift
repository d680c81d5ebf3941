/// The schemas under SendMessageRequest in protocol/fcm-v1-discovery.json, revision 20261023, field
/// by field. A test compares them with the document.
enum FCMSchemas {
  static let request = FCMMessageShape(
    "SendMessageRequest",
    [
      .init("message", .message(message)), .init("validateOnly", "validate_only", .boolean),
    ])

  static let message = FCMMessageShape(
    "Message",
    [
      .init("name", .string), .init("fid", .string), .init("token", .string),
      .init("topic", .string), .init("condition", .string), .init("data", .strings),
      .init("notification", .message(notification)), .init("android", .message(android)),
      .init("androidV2", "android_v2", .message(androidV2)), .init("apns", .message(apns)),
      .init("webpush", .message(webpush)),
      .init("fcmOptions", "fcm_options", .message(label("FcmOptions"))),
    ])

  static let notification = FCMMessageShape(
    "Notification",
    [.init("title", .string), .init("body", .string), .init("image", .string)])

  static let apns = FCMMessageShape(
    "ApnsConfig",
    [
      .init("headers", .strings), .init("payload", .anyObject),
      .init("liveActivityToken", "live_activity_token", .string),
      .init(
        "fcmOptions", "fcm_options",
        .message(
          FCMMessageShape(
            "ApnsFcmOptions", label("").fields + [.init("image", .string)]))),
    ])

  static let webpush = FCMMessageShape(
    "WebpushConfig",
    [
      .init("headers", .strings), .init("data", .strings), .init("notification", .anyObject),
      .init(
        "fcmOptions", "fcm_options",
        .message(
          FCMMessageShape(
            "WebpushFcmOptions", label("").fields + [.init("link", .string)]))),
    ])

  static let android = FCMMessageShape(
    "AndroidConfig",
    androidCommon + [
      .init(
        "priority",
        .enumeration("AndroidConfig.AndroidMessagePriority", ["NORMAL", "HIGH"])),
      .init("notification", .message(androidNotification)),
    ])

  static let androidV2 = FCMMessageShape(
    "AndroidConfigV2",
    androidCommon + [
      .init(
        "remoteNotification", "remote_notification",
        .message(
          FCMMessageShape(
            "AndroidRemoteNotification",
            [
              .init("notification", .message(androidNotificationV2)),
              .init("mutableContent", "mutable_content", .boolean),
              .init("useAsV1DataMessage", "use_as_v1_data_message", .boolean),
            ]))),
      .init(
        "backgroundSync", "background_sync",
        .message(FCMMessageShape("AndroidBackgroundSyncMessage", []))),
    ])

  private static let androidCommon: [FCMMessageShape.Field] = [
    .init("collapseKey", "collapse_key", .string), .init("ttl", .duration),
    .init("restrictedPackageName", "restricted_package_name", .string), .init("data", .strings),
    .init("fcmOptions", "fcm_options", .message(label("AndroidFcmOptions"))),
    .init("directBootOk", "direct_boot_ok", .boolean),
    .init("bandwidthConstrainedOk", "bandwidth_constrained_ok", .boolean),
    .init("restrictedSatelliteOk", "restricted_satellite_ok", .boolean),
  ]

  static let androidNotification = FCMMessageShape(
    "AndroidNotification",
    notificationCommon + [
      .init("bypassProxyNotification", "bypass_proxy_notification", .boolean),
      .init(
        "proxy",
        .enumeration(
          "AndroidNotification.Proxy",
          ["PROXY_UNSPECIFIED", "ALLOW", "DENY", "IF_PRIORITY_LOWERED"])),
    ])

  static let androidNotificationV2 = FCMMessageShape(
    "AndroidNotificationV2", notificationCommon + [.init("id", .int32)])

  private static let notificationCommon: [FCMMessageShape.Field] = [
    .init("title", .string), .init("body", .string), .init("icon", .string),
    .init("color", .string), .init("sound", .string), .init("tag", .string),
    .init("clickAction", "click_action", .string), .init("bodyLocKey", "body_loc_key", .string),
    .init("bodyLocArgs", "body_loc_args", .list(.string)),
    .init("titleLocKey", "title_loc_key", .string),
    .init("titleLocArgs", "title_loc_args", .list(.string)),
    .init("channelId", "channel_id", .string), .init("ticker", .string),
    .init("sticky", .boolean), .init("eventTime", "event_time", .timestamp),
    .init("localOnly", "local_only", .boolean),
    .init(
      "notificationPriority", "notification_priority",
      .enumeration(
        "AndroidNotification.NotificationPriority",
        [
          "PRIORITY_UNSPECIFIED", "PRIORITY_MIN", "PRIORITY_LOW", "PRIORITY_DEFAULT",
          "PRIORITY_HIGH", "PRIORITY_MAX",
        ])),
    .init("defaultSound", "default_sound", .boolean),
    .init("defaultVibrateTimings", "default_vibrate_timings", .boolean),
    .init("defaultLightSettings", "default_light_settings", .boolean),
    .init("vibrateTimings", "vibrate_timings", .list(.duration)),
    .init(
      "visibility",
      .enumeration(
        "AndroidNotification.Visibility",
        ["VISIBILITY_UNSPECIFIED", "PRIVATE", "PUBLIC", "SECRET"])),
    .init("notificationCount", "notification_count", .int32),
    .init("lightSettings", "light_settings", .message(lightSettings)), .init("image", .string),
  ]

  static let lightSettings = FCMMessageShape(
    "LightSettings",
    [
      .init("color", .message(color)),
      .init("lightOnDuration", "light_on_duration", .duration),
      .init("lightOffDuration", "light_off_duration", .duration),
    ])

  static let color = FCMMessageShape(
    "Color",
    [
      .init("red", .float), .init("green", .float), .init("blue", .float), .init("alpha", .float),
    ])

  /// Options that hold an analytics label, and for FcmOptions and AndroidFcmOptions nothing else.
  private static func label(_ name: String) -> FCMMessageShape {
    FCMMessageShape(name, [.init("analyticsLabel", "analytics_label", .string)])
  }
}
