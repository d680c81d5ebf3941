internal import PushModel

extension SettingsTable {
  /// Of each key of `apps:`.
  static let app: [SettingRow<Settings.App>] =
    apns + fcm + [
      .key(
        "androidStyle", \.androidStyle, .choice,
        "Android messages that the system shows, or that the app handles itself."),
      .key("dataKeys.type", \.dataKeys.type, .text, "Custom data key of the event's type."),
      .key("dataKeys.room", \.dataKeys.room, .text, "Custom data key of room.id."),
      .key("dataKeys.message", \.dataKeys.message, .text, "Custom data key of message.id."),
      .key("dataKeys.lastRead", \.dataKeys.lastRead, .text, "Custom data key of lastReadId."),
      .key("dataKeys.image", \.dataKeys.image, .text, "Custom data key of the image."),
      .key("texts.image", \.texts.image, .text, "Body of a message with an image and no text."),
      .key("texts.missedCall", \.texts.missedCall, .text, "Body of a callEnd."),
    ]

  private static let apns: [SettingRow<Settings.App>] =
    [
      .key("apns.topic", \.apnsOrNew.topic, .bundleID, "The app's bundle id."),
      .key(
        "apns.environment", \.apnsOrNew.environment, .choice, "Of devices that name none."),
    ] + tokenKey.map { $0.placed(in: "apns.production.", at: \.apnsOrNew.productionOrNew) }
    + tokenKey.map { $0.placed(in: "apns.sandbox.", at: \.apnsOrNew.sandboxOrNew) }
    + connections.map { $0.placed(in: "apns.connections.", at: \.apnsOrNew.connections) }

  private static let fcm: [SettingRow<Settings.App>] =
    [
      .file(
        "fcm.serviceAccountFile", \.fcmOrNew.serviceAccountFile,
        "The service account's key file, JSON from the Google Cloud console."),
      .optional(
        "fcm.projectId", \.fcmOrNew.projectID, .projectID,
        "The Firebase project; unset: the account's."),
      .key(
        "fcm.quotaPerMinute", \.fcmOrNew.quotaPerMinute, .count(1...100_000_000),
        "Messages a minute that the project may send; divided by the live processes."),
      .key(
        "fcm.collapse", \.fcmOrNew.collapse, .flag,
        "Send collapseKey as collapse_key too; FCM keeps four of them a device and throttles."),
    ] + connections.map { $0.placed(in: "fcm.connections.", at: \.fcmOrNew.connections) }

  private static let tokenKey: [SettingRow<Settings.TokenKey>] = [
    .file(
      "keyFile", \.keyFile, "The authentication key, a .p8 file from Apple's developer site."),
    .key("keyId", \.keyID, .appleID, "The key's id."),
    .key("teamId", \.teamID, .appleID, "The team's id."),
    .optionalFile(
      "certificateFile", \.certificateFile,
      "A push certificate with its key, .p12 or .pem, instead of the authentication key."),
    .optionalFile(
      "passwordFile", \.passwordFile, "A file whose first line is the certificate's password."),
  ]

  private static let connections: [SettingRow<Settings.Connections>] = [
    .key("min", \.min, .count(0...1_000), "Kept open when idle."),
    .key("max", \.max, .count(1...1_000), "Most open at once."),
    .key(
      "requestsPerSecond", \.requestsPerSecond, .count(0...100),
      "Most requests a connection starts in any second; 0 (no limit) only for endpoints on this "
        + "machine."),
  ]

  /// Of each key of `apps.*.channels:`.
  static let channel: [SettingRow<AppRules.ChannelRules>] = [
    .key("sound", \.sound, .sound, "none silences the channel on iOS.")
  ]

  /// Of each key of `types:`.
  static let type: [SettingRow<TypeRules>] = [
    .key("pushType", \.pushType, .choice, "The wished apns-push-type; the content decides."),
    .key("priority", \.priority, .choice, "Of events that name none."),
    .key("ttl", \.ttl, .seconds(0...2_592_000), "Lifetime of events that name none."),
    .optional("title", \.title, .text, "Template such as {room.name}."),
    .optional("body", \.body, .text, "Template such as {message.text}."),
    .optional("category", \.category, .text, "The notification's category."),
    .optional("channel", \.channel, .text, "Android's channel."),
    .optional("sound", \.sound, .text, "The sound's name."),
    .optional("style", \.style, .choice, "Overrides the app's androidStyle."),
    .key("expired", \.expired, .choice, "What an expired push leaves: a letter, or a count."),
  ]
}
