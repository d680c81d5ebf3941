import PushModel

/// FCM topics and conditions (protocol/fcm.md 2).
enum TopicName {
  static func check(_ content: EventContent) throws(EventFault) {
    if content.facts.topic.isPresent {
      let name = content.bytes.array(content.facts.topic)
      guard !name.isEmpty, name.allSatisfy(isAllowed) else {
        throw .invalid(
          FieldPath("topic"), "only letters, digits and -_.~% are allowed, without a prefix")
      }
    } else {
      let text = content.bytes.string(content.facts.condition)
      let topics = text.split(separator: "'", omittingEmptySubsequences: false).count / 2
      guard (1...5).contains(topics) else {
        throw .invalid(FieldPath("condition"), "names \(topics) topics, allowed are 1 to 5")
      }
    }
  }

  static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
      UInt8(ascii: "."), UInt8(ascii: "~"), UInt8(ascii: "%"):
      true
    default: false
    }
  }
}
