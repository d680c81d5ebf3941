internal import PushModel

/// Makes random events of all fields, all Unicode and all sizes; a seed repeats them.
///
/// Each event has tokens of its own, so that a push tells which device of which event it was for.
/// Some events are wrong on purpose.
package struct RandomEvents {
  private var dice: SeededRandom
  /// UNIX seconds around which its moments lie.
  private let now: Int64
  private var made = 0

  package init(_ dice: SeededRandom, now: Int64) {
    self.dice = dice
    self.now = now
  }

  /// The next event, named `r<number>` from 0.
  package mutating func next() -> String {
    defer { made += 1 }
    var event = Members()
    event.keys = [#""id":"r\#(made)""#, #""type":"\#(pick(BuiltInType.allCases).rawValue)""#]
    addParts(&event)
    addTexts(&event)
    addLook(&event)
    addTime(&event)
    addBlocks(&event)
    addTargets(&event)
    return event.text
  }

  /// Members of a JSON object under construction.
  private struct Members {
    var keys: [String] = []

    var text: String { "{\(keys.joined(separator: ","))}" }

    mutating func add(_ name: String, _ value: String) { keys.append("\"\(name)\":\(value)") }
  }

  // MARK: Dice

  private mutating func chance(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &dice) < percent
  }

  private mutating func pick<T>(_ all: [T]) -> T {
    all[Int.random(in: 0..<all.count, using: &dice)]
  }

  /// Mostly a good one.
  private mutating func pick<T>(_ good: [T], or wrong: [T]) -> T {
    pick(chance(4) ? wrong : good)
  }

  // MARK: Values

  private static let parts = [
    "a", "Kim", #"\""#, #"\\"#, #"\n"#, #"\u0000"#, #"\u00e9"#, #"\ud83d\ude00"#, "한글", "👨‍👩‍👧‍👦",
    "🇰🇷", "é", "\u{2028}", " ", #"\/"#, "\u{10FFFF}", "\u{FFFE}", "…",
  ]

  private mutating func text() -> String {
    let count = chance(4) ? pick([100, 500, 2_000]) : Int.random(in: 0..<12, using: &dice)
    var out = ""
    for _ in 0..<count { out += pick(Self.parts) }
    // A lone surrogate: repaired in a text that is shown, refused anywhere else.
    if chance(10), chance(3) { out += #"\ud800"# }
    return "\"\(out)\""
  }

  private mutating func number() -> String {
    pick([
      "0", "-0", "1", "1.0", "1e3", "0.1", "9007199254740993", "18446744073709551615",
      "18446744073709551616", "-9223372036854775808", "-1", "2147483647", "1E-7",
      "123456789012345678901234567890", "0.30000000000000004",
    ])
  }

  private mutating func value(_ depth: Int = 0) -> String {
    switch Int.random(in: 0..<(depth > 3 ? 4 : 6), using: &dice) {
    case 0: return text()
    case 1: return number()
    case 2: return pick(["true", "false"])
    case 3: return "null"
    case 4: return "[" + (0..<3).map { _ in value(depth + 1) }.joined(separator: ", ") + "]"
    default: return object(depth + 1)
    }
  }

  private mutating func object(_ depth: Int = 0) -> String {
    let names = [
      "a", "b", "type", "url", "chatRoomId", "title", "x y", "한", #"k\u0031"#, "n", "senderName",
      "tag", "",
    ]
    var keys: [String] = []
    for name in names where chance(20) { keys.append("\"\(name)\":\(value(depth))") }
    if depth == 0, chance(2) { keys.append(#""google.x":1"#) }
    if depth == 0, chance(4) {
      let size = Int.random(in: 0..<6_000, using: &dice)
      keys.append("\"large\":\"\(String(repeating: pick(["x", "é"]), count: size))\"")
    }
    return "{\(keys.joined(separator: " , "))}"
  }

  // MARK: Fields

  private mutating func add(
    _ percent: Int, _ name: String, to event: inout Members,
    _ value: (inout RandomEvents) -> String
  ) {
    if chance(percent) { event.add(name, value(&self)) }
  }

  private mutating func identifier() -> String { chance(50) ? text() : pick(["42", "77", "-1"]) }

  private mutating func addParts(_ event: inout Members) {
    add(50, "room", to: &event) { #"{"id":\#($0.identifier()),"name":\#($0.text())}"# }
    add(60, "sender", to: &event) {
      #"{"id":\#($0.identifier()),"name":\#($0.text()),"image":"https://e.com/s"}"#
    }
    add(60, "message", to: &event) {
      let image = $0.chance(20) ? #","image":"https://e.com/i.jpg""# : ""
      return #"{"id":\#($0.identifier()),"text":\#($0.text())\#(image)}"#
    }
    add(40, "data", to: &event) { $0.object() }
    add(3, "app", to: &event) { $0.pick([#""chat""#], or: [#""other""#]) }
    add(3, "v", to: &event) { $0.pick(["1", "null"], or: ["2"]) }
    add(5, "unknown", to: &event) { $0.value() }
    add(10, "traceparent", to: &event) { _ in
      #""00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01""#
    }
  }

  private mutating func addTexts(_ event: inout Members) {
    for name in ["title", "subtitle", "body"] { add(25, name, to: &event) { $0.text() } }
    for name in ["locKey", "titleLocKey"] { add(10, name, to: &event) { $0.text() } }
    for name in ["locArgs", "titleLocArgs"] {
      add(10, name, to: &event) { #"[\#($0.text()),\#($0.number())]"# }
    }
    for name in ["url", "image"] {
      add(25, name, to: &event) { $0.chance(50) ? $0.text() : #""https://e.com/x?y=1&z""# }
    }
  }

  private mutating func addLook(_ event: inout Members) {
    for name in [
      "channel", "category", "threadId", "collapseKey", "filterCriteria", "targetContentId",
    ] {
      add(15, name, to: &event) { $0.text() }
    }
    add(25, "badge", to: &event) {
      $0.pick(["0", "1", "2147483647", "null"], or: ["-1", "1.0", "2147483648", #""3""#])
    }
    add(25, "sound", to: &event) {
      $0.pick(
        [
          "false", #""x""#, #""""#, #"{"critical":true,"volume":0.5}"#, #"{"name":"y"}"#,
          #"{"critical":true,"name":"z","volume":1}"#,
        ], or: ["true", #"{"volume":2}"#])
    }
    add(20, "priority", to: &event) { $0.pick([#""high""#, #""normal""#, #""low""#]) }
    add(15, "pushType", to: &event) { "\"\($0.pick(PushType.allCases).rawValue)\"" }
    add(15, "contentAvailable", to: &event) { $0.pick(["true", "false"]) }
    add(15, "mutableContent", to: &event) { $0.pick(["true", "false"]) }
    add(10, "interruptionLevel", to: &event) {
      $0.pick(
        [#""passive""#, #""active""#, #""time-sensitive""#, #""critical""#], or: [#""loud""#])
    }
    add(10, "relevanceScore", to: &event) { $0.pick(["0", "0.5", "1"], or: ["2", "-1"]) }
    add(8, "liveActivity", to: &event) { $0.activity() }
  }

  private mutating func activity() -> String {
    var activity = Members()
    activity.add("event", pick([#""start""#, #""update""#, #""end""#]))
    add(80, "contentState", to: &activity) { $0.object(1) }
    add(50, "attributesType", to: &activity) { _ in #""Trip""# }
    add(50, "attributes", to: &activity) { $0.object(1) }
    add(40, "alert", to: &activity) { #"{"title":\#($0.text()),"body":\#($0.text())}"# }
    let now = now
    add(20, "staleDate", to: &activity) { _ in "\(now + 600)" }
    add(20, "dismissalDate", to: &activity) { _ in "\(now + 900)" }
    return activity.text
  }

  private mutating func addTime(_ event: inout Members) {
    let now = now
    add(40, "sentAt", to: &event) {
      "\(now - 20 + Int64($0.pick([0, 5, 20])))" + $0.pick(["", ".5"])
    }
    if chance(15) {
      event.add("ttl", pick(["0", "1000", "2592000"], or: ["2592001", "1.5"]))
    } else if chance(10) {
      event.add("expiresAt", pick(["\(now + 1_000)"], or: ["\(now + 90_000)000", "3600"]))
    }
    add(3, "notBefore", to: &event) { _ in "\(now - 30)" }
  }

  private mutating func addBlocks(_ event: inout Members) {
    add(15, "apns", to: &event) {
      var apns = Members()
      $0.add(70, "payload", to: &apns) {
        #"{"aps":{"badge":\#($0.pick(["null", "5"]))},"z":\#($0.value())}"#
      }
      $0.add(30, "headers", to: &apns) {
        $0.pick(
          [
            #"{"apns-priority":"5"}"#, #"{"apns-priority":10}"#, #"{"apns-collapse-id":"c 1"}"#,
            #"{"apns-expiration":"0"}"#, #"{"apns-push-type":"background"}"#,
            #"{"apns-collapse-id":null}"#, #"{"x-trace":"a"}"#,
          ],
          or: [
            #"{"apns-priority":"7"}"#, #"{"apns-id":"x"}"#,
            #"{"apns-topic":"com.example.chat.voip"}"#,
          ])
      }
      return apns.text
    }
    // A key that stands twice is a fault of the event.
    add(2, "apns", to: &event) { _ in "null" }
    add(15, "fcm", to: &event) {
      $0.pick(
        [
          #"{"android":{"ttl":"5s"},"data":{"z":\#($0.text()),"type":null}}"#,
          #"{"webpush":{"headers":{"Urgency":"low"}},"fcm_options":{"analytics_label":"a"}}"#,
          #"{"fcmOptions":{"analyticsLabel":"a"},"android":{"restrictedPackageName":"p"}}"#,
          ##"{"android":{"notification":{"notificationCount":3,"color":"#a0b1c2"}}}"##,
          #"{"notification":{"title":\#($0.text())}}"#,
          #"{"apns":{"headers":{"apns-priority":"10"}}}"#,
          #"{"apns":{"payload":{"aps":{"badge":1}}}}"#,
        ],
        or: [
          #"{"android":{"notification":{"color":"x"}}}"#, #"{"data":{"k":1}}"#, #"{"name":"x"}"#,
        ])
    }
  }

  // MARK: Targets

  private mutating func addTargets(_ event: inout Members) {
    switch Int.random(in: 0..<20, using: &dice) {
    case 0: event.add("topic", "\"news-\(made)\"")
    case 1:
      event.add(
        "condition",
        "\""
          + pick(
            [
              "'r\(made)' in topics", "'r\(made)' in topics && !('b' in topics)",
            ], or: ["'r\(made)'", "'r\(made)' in topics ||", "('r\(made)' in topics"])
          + "\"")
    case 2...6:
      let recipients = (0..<3).map { recipient($0) }
      event.add("recipients", "[\(recipients.joined(separator: ","))]")
    default:
      event.add("devices", devices(of: 0, count: 4))
      add(30, "user", to: &event) { $0.text() }
      add(30, "lastReadId", to: &event) { $0.identifier() }
    }
  }

  private mutating func recipient(_ index: Int) -> String {
    var recipient = Members()
    recipient.add("devices", devices(of: index, count: 2))
    add(50, "user", to: &recipient) { $0.text() }
    add(30, "badge", to: &recipient) { $0.pick(["0", "12"], or: ["-3"]) }
    add(30, "lastReadId", to: &recipient) { $0.identifier() }
    add(40, "data", to: &recipient) { $0.object() }
    return recipient.text
  }

  private mutating func devices(of recipient: Int, count: Int) -> String {
    let all = (0..<count).map { device(recipient * 10 + $0) }
    return "[\(all.joined(separator: ","))]"
  }

  private mutating func device(_ index: Int) -> String {
    let name = "\(made)x\(index)"
    var device = Members()
    device.add("id", "\"d\(name)\"")
    device.add("platform", "\"\(pick(Platform.allCases).rawValue)\"")
    add(85, "token", to: &device) { "\"\($0.token(name, index))\"" }
    add(20, "fid", to: &device) { _ in "\"\(Self.fid(name))\"" }
    let number = made
    add(40, "voipToken", to: &device) { _ in "\"\(Self.hex("b", number, index))\"" }
    add(40, "liveActivityToken", to: &device) { _ in "\"\(Self.hex("c", number, index))\"" }
    add(15, "provider", to: &device) { "\"\($0.pick(["apns", "fcm"], or: ["x"]))\"" }
    add(15, "apnsTopic", to: &device) {
      $0.pick([#""com.example.chat""#, #""com.example.chat.voip""#], or: ["1"])
    }
    add(5, "environment", to: &device) { $0.pick([#""production""#], or: [#""sandbox""#]) }
    return device.text
  }

  private mutating func token(_ name: String, _ index: Int) -> String {
    let hex = Self.hex("a", made, index)
    return pick(
      [hex, hex, hex.uppercased(), " \(hex)", Self.fcm(name), Self.fcm(name), Self.fid(name)],
      or: ["", "abc\(name)", "ä"])
  }

  /// A token for APNs: a letter, and numbers that make it unique.
  private static func hex(_ first: String, _ event: Int, _ device: Int) -> String {
    let digits = String(event, radix: 16) + "f" + String(device + 16, radix: 16)
    return first + String(repeating: "0", count: 63 - digits.utf8.count) + digits
  }

  private static func fcm(_ name: String) -> String { "fInv1:APA91b\(name)" }

  /// 22 characters, as Google's are.
  private static func fid(_ name: String) -> String {
    "e" + String(repeating: "Z", count: 21 - name.utf8.count) + name
  }
}
