/// What FCM demands of single values and of fields together, beyond their types
/// (protocol/fcm.md 2.2, 2.4, 2.5, 2.7).
enum FCMValue {
  /// Why a string is refused; nil for a good one.
  static func fault(_ text: [UInt8], of path: String) -> String? {
    switch path.split(separator: ".").last {
    case "link": text.starts(with: "https://".utf8) ? nil : "not an https address"
    case "analytics_label", "analyticsLabel":
      (1...50).contains(text.count) && text.allSatisfy(TopicName.isAllowed)
        ? nil : "1 to 50 letters, digits and -_.~% are allowed"
    case "color" where text.first != UInt8(ascii: "{"): isColor(text) ? nil : "not #rrggbb"
    default: nil
    }
  }

  /// The first field that is required here and absent.
  static func missing(_ given: Set<String>, of fields: [String: FCMShape]) -> String? {
    if fields["light_on_duration"] != nil {
      for name in ["color", "light_on_duration", "light_off_duration"]
      where !given.contains(name) {
        return "\(name): required"
      }
    }
    if fields["use_as_v1_data_message"] != nil, !given.contains("notification") {
      return "notification: required"
    }
    if fields["remote_notification"] != nil {
      let count = ["remote_notification", "background_sync"].count { given.contains($0) }
      return count == 1 ? nil : "remote_notification: exactly one of this and background_sync"
    }
    return nil
  }

  private static func isColor(_ text: [UInt8]) -> Bool {
    text.count == 7 && text[0] == UInt8(ascii: "#")
      && text.dropFirst().allSatisfy { JSONEscape.hexValue($0) != nil }
  }
}
