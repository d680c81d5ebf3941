internal import PushModel

extension SettingsTable {
  /// Every key as the contract writes it, names as `*`.
  static let patterns =
    root.map(\.path) + queue.map { "queues.*." + $0.path } + app.map { "apps.*." + $0.path }
    + channel.map { "apps.*.channels.*." + $0.path } + type.map { "types.*." + $0.path }

  /// Every value in force and where it came from. Of apps and types only what was given, or
  /// belongs to a provider that is used.
  static func effective(
    _ settings: Settings, _ places: [String: String]
  ) -> [EffectiveSetting] {
    var all = list(root, settings, "", places)
    for (number, queue) in settings.queues.enumerated() {
      all += list(Self.queue, queue, "queues.\(number).", places)
    }
    for app in settings.apps {
      let prefix = "apps.\(app.name)."
      all += list(Self.app.filter { isUsed($0.path, app) }, app, prefix, places)
      for (name, channel) in app.channels.sorted(by: { $0.key < $1.key }) {
        all += list(Self.channel, channel, "\(prefix)channels.\(name).", places)
      }
    }
    for (name, type) in settings.types.sorted(by: { $0.key < $1.key }) {
      all += list(Self.type, type, "types.\(name).", places)
        .filter { $0.origin != "default" || type.builtIn == nil }
    }
    return all
  }

  private static func isUsed(_ path: String, _ app: Settings.App) -> Bool {
    if path.hasPrefix("apns.production.") { return app.apns?.production != nil }
    if path.hasPrefix("apns.sandbox.") { return app.apns?.sandbox != nil }
    if path.hasPrefix("apns.") { return app.apns != nil }
    return !path.hasPrefix("fcm.") || app.fcm != nil
  }

  private static func list<Root>(
    _ rows: [SettingRow<Root>], _ root: Root, _ prefix: String, _ places: [String: String]
  ) -> [EffectiveSetting] {
    rows.filter { $0.path == $0.target }.map { row in
      EffectiveSetting(
        key: prefix + row.path, value: row.text(root),
        origin: places[prefix + row.path] ?? "default")
    }
  }
}
