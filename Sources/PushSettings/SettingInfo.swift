internal import PushModel

/// One line of the configuration's reference.
package struct SettingInfo: Sendable {
  package var key: String
  package var allowed: String
  /// As text; nil when there is none.
  package var defaultValue: String?
  /// nil for entries of lists.
  package var environmentVariable: String?
  package var meaning: String

  /// Every key, in the table's order.
  package static let all: [SettingInfo] =
    lines(SettingsTable.root, Settings(), "")
    + lines(SettingsTable.queue, Settings.Queue(), "queues.*.", hasVariable: false)
    + lines(SettingsTable.app, Settings.App(name: ""), "apps.*.")
    + lines(
      SettingsTable.channel, AppRules.ChannelRules(), "apps.*.channels.*.", hasVariable: false)
    + lines(SettingsTable.type, TypeRules(), "types.*.")

  private static func lines<Root>(
    _ rows: [SettingRow<Root>], _ root: Root, _ prefix: String, hasVariable: Bool = true
  ) -> [SettingInfo] {
    rows.map { row in
      let key = prefix + row.path
      return SettingInfo(
        key: key, allowed: row.allowed,
        defaultValue: row.text(root).flatMap { $0.isEmpty ? nil : $0 },
        environmentVariable: hasVariable ? variable(key) : nil, meaning: row.doc)
    }
  }

  /// `apps.*.apns.topic` as `ALLIM_APPS_<NAME>_APNS_TOPIC`.
  private static func variable(_ key: String) -> String {
    let parts = key.split(separator: "*", omittingEmptySubsequences: false)
    return "ALLIM_"
      + parts.map { SettingsReading.variable(String($0), "") }.joined(separator: "<NAME>")
  }
}
