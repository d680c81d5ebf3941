internal import PushSettings

/// The reference of the configuration in Markdown, from the settings' own table.
enum SettingsReference {
  static var markdown: String {
    var text = ""
    var group = ""
    for info in SettingInfo.all {
      let next = String(info.key.prefix { $0 != "." })
      if next != group {
        group = next
        text += "\n## `\(group)`\n\n| key | meaning | allowed | default |\n|---|---|---|---|\n"
      }
      text += row(info)
    }
    return String(text.dropFirst())
  }

  private static func row(_ info: SettingInfo) -> String {
    var key = "`\(info.key)`"
    if let variable = info.environmentVariable { key += "<br>`\(variable)`" }
    let value = info.defaultValue.map { "`\(cell($0))`" } ?? ""
    return "| \(key) | \(cell(info.meaning)) | \(cell(info.allowed)) | \(value) |\n"
  }

  /// A bar would end the cell.
  private static func cell(_ text: String) -> String { text.replacing("|", with: "\\|") }
}
