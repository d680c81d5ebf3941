import PushModel

// Recipients and devices.
extension EventReader {
  func readTargets(
    _ fields: borrowing Fields<EventKey>, _ content: EventContent
  ) throws(EventFault) {
    try readTopic(fields, content)
    let isShort = fields[.devices] != nil || fields[.user] != nil || fields[.lastReadId] != nil
    if let list = fields[.recipients] {
      if isShort {
        throw .invalid(
          FieldPath("recipients"), "given together with devices, user or lastReadId")
      }
      try readRecipients(list, content)
    } else {
      try readShortForm(fields, content)
    }
    if content.targets.isEmpty { throw EventFault(.noTargets, "no device, topic or condition") }
  }

  private func readTopic(
    _ fields: borrowing Fields<EventKey>, _ content: EventContent
  ) throws(EventFault) {
    content.facts.topic = try content.string(fields[.topic], FieldPath("topic"))
    content.facts.condition = try content.string(fields[.condition], FieldPath("condition"))
    guard content.facts.topic.isPresent || content.facts.condition.isPresent else { return }
    let name: StaticString = content.facts.topic.isPresent ? "topic" : "condition"
    let isAlone =
      fields[.devices] == nil && fields[.recipients] == nil
      && !(content.facts.topic.isPresent && content.facts.condition.isPresent)
    if !isAlone { throw .invalid(FieldPath(name), "given together with another target") }
    try checkTopicWish(content)
    try TopicName.check(content)
  }

  /// What has a token of its own, or no way through FCM, cannot go to a topic.
  private func checkTopicWish(_ content: EventContent) throws(EventFault) {
    switch content.facts.wish {
    case .alert, .background: return
    case .voip where devices.mayFallBack(content): return
    default:
      throw .invalid(
        FieldPath("pushType"), "\(content.facts.wish.rawValue) does not go to a topic")
    }
  }

  private func readShortForm(
    _ fields: borrowing Fields<EventKey>, _ content: EventContent
  ) throws(EventFault) {
    var recipient = RecipientFacts()
    recipient.user = try content.string(fields[.user], FieldPath("user"))
    recipient.lastReadID = try content.identifier(fields[.lastReadId], FieldPath("lastReadId"))
    recipient.badge = content.facts.badge
    content.recipients.append(recipient)
    if content.facts.topic.isPresent || content.facts.condition.isPresent {
      var target = PushTarget()
      target.recipient = 0
      target.isTopic = true
      target.credential = Int(rules.apps[content.facts.app].fcm)
      if target.credential < 0 {
        throw EventFault(.noCredential, "the app has no FCM credential")
      }
      content.targets.append(target)
      return
    }
    guard let list = fields[.devices] else { return }
    guard content.tokens[list].kind == .array else {
      throw .invalid(FieldPath("devices"), "not an array")
    }
    content.recipients[0].devices = Int32(list)
    try readDevices(list, recipient: 0, FieldPath(""), content)
  }

  private func readRecipients(
    _ list: Int, _ content: EventContent
  ) throws(EventFault) {
    guard content.tokens[list].kind == .array else {
      throw .invalid(FieldPath("recipients"), "not an array")
    }
    var path = FieldPath("")
    var at = list + 1
    while at < Int(content.tokens[list].next) {
      path.recipient += 1
      try readRecipient(at, path, content)
      at = Int(content.tokens[at].next)
    }
  }

  private func readRecipient(
    _ element: Int, _ path: FieldPath, _ content: EventContent
  ) throws(EventFault) {
    let index = content.recipients.count
    var recipient = RecipientFacts()
    recipient.element = Int32(element)
    recipient.badge = content.facts.badge
    var devices: Int?
    do throws(EventFault) {
      try fill(&recipient, &devices, element, path, content)
    } catch {
      recipient.fault = content.add(error)
    }
    recipient.devices = Int32(devices ?? -1)
    content.recipients.append(recipient)
    if let devices {
      try readDevices(devices, recipient: index, path, content)
    } else if recipient.fault >= 0 {
      // A target of its own, so that the fault has a letter with this recipient in it.
      var target = PushTarget()
      target.recipient = Int32(index)
      target.fault = recipient.fault
      try append(target, content)
    }
  }

  private func fill(
    _ recipient: inout RecipientFacts, _ devices: inout Int?, _ element: Int, _ path: FieldPath,
    _ content: EventContent
  ) throws(EventFault) {
    guard content.tokens[element].kind == .object else { throw .invalid(path, "not an object") }
    let fields = content.fields(of: element, tables.recipient)
    if let list = fields[.devices] {
      guard content.tokens[list].kind == .array else {
        throw .invalid(path.named("devices"), "not an array")
      }
      devices = list
    }
    if let key = fields.repeated { throw repeated(key, content, in: path.description) }
    if UnicodeCheck.isBroken(element, except: devices, content) {
      throw .invalid(path, "broken Unicode")
    }
    recipient.user = try content.string(fields[.user], path.named("user"))
    recipient.lastReadID = try content.identifier(fields[.lastReadId], path.named("lastReadId"))
    if fields[.badge] != nil {
      recipient.badge = try badge(fields[.badge], path.named("badge"), content)
    }
    if let data = try content.object(fields[.data], path.named("data")) {
      try checkData(data, path.named("data").description, content)
      recipient.data = Int32(data)
    }
  }

  private func readDevices(
    _ list: Int, recipient: Int, _ path: FieldPath, _ content: EventContent
  ) throws(EventFault) {
    var path = path
    var at = list + 1
    let end = Int(content.tokens[list].next)
    while at < end {
      path.device += 1
      var target = PushTarget()
      target.recipient = Int32(recipient)
      target.element = Int32(at)
      do throws(EventFault) {
        try devices.read(at, path, &target, content)
      } catch {
        target.fault = content.add(error)
      }
      if content.recipients[recipient].fault >= 0 {
        target.fault = content.recipients[recipient].fault
      }
      try append(target, content)
      at = Int(content.tokens[at].next)
    }
  }

  private func append(
    _ target: PushTarget, _ content: EventContent
  ) throws(EventFault) {
    guard content.targets.count < rules.limits.devices else {
      throw EventFault(.itemTooLarge, "devices: more than \(rules.limits.devices)")
    }
    content.targets.append(target)
  }
}

extension UnicodeCheck {
  /// True when a string of a value, outside one list in it, is broken.
  static func isBroken(_ token: Int, except list: Int?, _ content: EventContent) -> Bool {
    if content.brokenStrings == 0 { return false }
    let skipped = list.map { $0..<Int(content.tokens[$0].next) } ?? 0..<0
    return (token..<Int(content.tokens[token].next)).contains {
      content.tokens[$0].isBroken && !skipped.contains($0)
    }
  }
}
