/// Tokens and events of tests that share a queue: a tag makes each one's own.
enum Samples {
  /// An APNs token that begins with the tag, which is of hex digits and not 0 in front.
  static func apns(_ tag: String) -> String {
    tag + String(repeating: "a", count: 64 - tag.utf8.count)
  }

  static func fcm(_ tag: String) -> String { "fInv1:APA91bINVENTED\(tag)" }

  static func iphone(_ tag: String) -> String { #"{"platform":"ios","token":"\#(apns(tag))"}"# }

  static func android(_ tag: String) -> String {
    #"{"platform":"android","token":"\#(fcm(tag))"}"#
  }

  /// An iPhone that the app reaches by FCM.
  static func relayed(_ tag: String) -> String {
    #"{"platform":"ios","provider":"fcm","token":"\#(fcm(tag))"}"#
  }

  /// `{"id":…,<fields>,"devices":[…]}`.
  static func event(_ id: String, _ fields: String, _ devices: String...) -> String {
    #"{"id":"\#(id)",\#(fields),"devices":[\#(devices.joined(separator: ","))]}"#
  }

  /// An ordinary message.
  static func message(_ id: String, _ devices: String...) -> String {
    let fields = #""type":"message","sender":{"name":"Kim"},"message":{"text":"hello"}"#
    return #"{"id":"\#(id)",\#(fields),"devices":[\#(devices.joined(separator: ","))]}"#
  }
}
