import HTTP2
import PushModel

/// Topic, suffix and priority that go with a push type (protocol/apns.md 4).
struct APNsTopicCheck {
  /// What the connection may push to.
  enum Right {
    /// A key of the team: these bundle ids with every suffix.
    case key(bundleIDs: [[UInt8]])
    /// A certificate: its one bundle id (the subject's UID), with every suffix.
    case certificate(bundleID: [UInt8])
  }

  let right: Right

  func check(
    _ fields: APNsFields, in stream: ServerStream, pushType: PushType?
  ) throws(APNsRefusal) {
    try checkRight(to: pushType)
    try checkPriority(fields, in: stream, pushType: pushType)
    guard let topic = fields.topic else {
      // A certificate for one topic can default to it; a key cannot.
      if case .certificate = right { return }
      throw APNsRefusal(.missingTopic)
    }
    try checkTopic(stream.text[topic], pushType)
  }

  /// `location` wants a key, `mdm` a certificate.
  private func checkRight(to pushType: PushType?) throws(APNsRefusal) {
    switch (right, pushType) {
    case (.certificate, .location), (.key, .mdm): throw APNsRefusal(.topicDisallowed)
    default: break
    }
  }

  /// `background` must be 5 and absent means 10; `liveactivity` is 5 or 10.
  private func checkPriority(
    _ fields: APNsFields, in stream: ServerStream, pushType: PushType?
  ) throws(APNsRefusal) {
    let priority = APNsHeaderCheck.priority(stream, fields.priority)
    if pushType == .background, priority != 5 { throw APNsRefusal(.badPriority) }
    if pushType == .liveactivity, priority == 1 { throw APNsRefusal(.badPriority) }
  }

  private func checkTopic(
    _ topic: ArraySlice<UInt8>, _ pushType: PushType?
  ) throws(APNsRefusal) {
    guard !topic.isEmpty, topic.allSatisfy(isTopicByte) else { throw APNsRefusal(.badTopic) }
    guard let bundleID = bundleIDs.first(where: { hasBase($0, topic) }) else {
      throw APNsRefusal(.topicDisallowed)
    }
    guard let pushType else { return }
    let suffix = topic.dropFirst(bundleID.count)
    let wanted = Self.suffixes[pushType] ?? []
    guard Bytes.areEqual(suffix, wanted) else { throw APNsRefusal(.badTopic) }
  }

  private var bundleIDs: [[UInt8]] {
    switch right {
    case .key(let bundleIDs): bundleIDs
    case .certificate(let bundleID): [bundleID]
    }
  }

  private func hasBase(_ bundleID: [UInt8], _ topic: ArraySlice<UInt8>) -> Bool {
    guard Bytes.hasPrefix(topic, bundleID) else { return false }
    let rest = topic.dropFirst(bundleID.count)
    return rest.isEmpty || Self.suffixes.values.contains { Bytes.areEqual(rest, $0) }
  }

  private func isTopicByte(_ byte: UInt8) -> Bool {
    (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte &- UInt8(ascii: "0") < 10
      || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
  }

  private static let suffixes = [PushType: [UInt8]](
    uniqueKeysWithValues: PushType.allCases.map { ($0, Array($0.topicSuffix.utf8)) })
}
