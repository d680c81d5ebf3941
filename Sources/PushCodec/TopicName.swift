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
      let text = content.bytes.array(content.facts.condition)
      guard let topics = TopicCondition.topics(of: text) else {
        throw .invalid(
          FieldPath("condition"), "not of the form 'a' in topics && ('b' in topics || …)")
      }
      guard topics <= 5 else {
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

extension CompiledApp {
  /// The push type's suffix that stands behind the app's own topic; nil for any other topic.
  func suffix(of given: [UInt8], _ content: EventContent) -> String? {
    if topic.isEmpty || given.count <= topic.length { return nil }
    let own = content.bytes.array(topic)
    guard given.starts(with: own) else { return nil }
    return PushType.allCases.lazy.map(\.topicSuffix).first {
      !$0.isEmpty && given[own.count...].elementsEqual($0.utf8)
    }
  }
}
