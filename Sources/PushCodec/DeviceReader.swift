import PushModel

/// Reads one device and decides provider, credential and token (EVENTS.md, "Device").
final class DeviceReader {
  let rules: CompiledRules
  let tables: KeyTables

  init(rules: CompiledRules, tables: KeyTables) {
    self.rules = rules
    self.tables = tables
  }

  /// What a device says.
  private struct Device {
    var provider: Provider?
    var environment: APNsEnvironment?
    var token = Piece.none
    var fid = Piece.none
    var voipToken = Piece.none
    var activityToken = Piece.none
  }

  func read(
    _ element: Int, _ path: FieldPath, _ target: inout PushTarget, _ content: EventContent
  ) throws(EventFault) {
    guard content.tokens[element].kind == .object else { throw .invalid(path, "not an object") }
    let fields = content.fields(of: element, tables.device)
    if let key = fields.repeated {
      throw EventFault(.invalidEvent, "\(path): key \(content.shown(key)) given twice")
    }
    if UnicodeCheck.isBroken(element, content) { throw .invalid(path, "broken Unicode") }
    var device = Device()
    target.platform = try tables.platforms.find(
      fields[.platform], path.named("platform"), content)
    device.provider = try tables.providers.find(
      fields[.provider], path.named("provider"), content)
    device.environment = try tables.environments.find(
      fields[.environment], path.named("environment"), content)
    device.token = try token(fields[.token], path.named("token"), content)
    device.fid = try token(fields[.fid], path.named("fid"), content)
    device.voipToken = try token(fields[.voipToken], path.named("voipToken"), content)
    device.activityToken = try token(
      fields[.liveActivityToken], path.named("liveActivityToken"), content)
    _ = try content.string(fields[.id], path.named("id"))
    target.topic = try content.string(fields[.apnsTopic], path.named("apnsTopic"))
    target.registeredAt = try registeredAt(fields[.registeredAt], path, content)
    switch provider(of: device, target.platform, content) {
    case .apns: try chooseAPNs(device, path, &target, content)
    case .fcm: try chooseFCM(device, path, &target, content)
    }
  }

  /// A token without the blanks around it.
  @inline(__always)
  private func token(
    _ token: Int?, _ path: @autoclosure () -> FieldPath, _ content: EventContent
  ) throws(EventFault) -> Piece {
    guard let token else { return .none }
    return trimmed(try content.string(token, path()), content)
  }

  private func trimmed(_ text: Piece, _ content: EventContent) -> Piece {
    var piece = text
    content.bytes.withBytes(of: text) { bytes in
      var first = 0
      var last = bytes.count
      while first < last, Self.isBlank(bytes[first]) { first += 1 }
      while last > first, Self.isBlank(bytes[last - 1]) { last -= 1 }
      piece.start += Int32(first)
      piece.count = Int32(last - first)
    }
    return piece
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }

  private func registeredAt(
    _ token: Int?, _ path: FieldPath, _ content: EventContent
  ) throws(EventFault) -> Int64? {
    guard let token else { return nil }
    guard let value = content.integer(content.tokens[token]), value >= 100_000_000_000 else {
      throw .invalid(
        path.named("registeredAt"),
        "\(content.shown(token)) is not an integer of UNIX milliseconds")
    }
    return value
  }

  private func provider(
    of device: Device, _ platform: Platform?, _ content: EventContent
  ) -> Provider {
    if let provider = device.provider { return provider }
    if let platform, !platform.isApple { return .fcm }
    let app = rules.apps[content.facts.app]
    if app.hasAPNs {
      // A call or an activity has a token of its own, whatever carries the other messages.
      let special = special(device, content)
      if !special.isEmpty, isHex(special, content) { return .apns }
      if isHex(device.token, content), platform != nil || device.token.length >= 64 {
        return .apns
      }
    }
    // An app without FCM can have meant nothing else.
    let hasOnlyAPNs = app.hasAPNs && app.fcm < 0 && device.fid.isEmpty
    return platform != nil && hasOnlyAPNs ? .apns : .fcm
  }

  private func special(_ device: Device, _ content: EventContent) -> Piece {
    switch content.facts.wish {
    case .voip: device.voipToken
    case .liveactivity: device.activityToken
    default: .none
    }
  }

  private func isHex(_ piece: Piece, _ content: EventContent) -> Bool {
    content.bytes.withBytes(of: piece) { TokenShape.isHex($0) }
  }

  private func chooseAPNs(
    _ device: Device, _ path: FieldPath, _ target: inout PushTarget, _ content: EventContent
  ) throws(EventFault) {
    let app = content.facts.app
    target.provider = .apns
    target.environment = device.environment ?? rules.apps[app].environment
    var name: StaticString = "token"
    target.token = device.token
    if case .liveactivity = content.facts.wish {
      (name, target.token, target.kind) = (
        "liveActivityToken", device.activityToken, .liveActivity
      )
    } else if case .voip = content.facts.wish,
      !device.voipToken.isEmpty || !mayFallBack(content)
    {
      (name, target.token, target.kind) = ("voipToken", device.voipToken, .voip)
    }
    if target.token.isEmpty {
      throw .invalid(path.named(name), target.token.isPresent ? "empty" : "required")
    }
    guard isHex(target.token, content) else { throw .invalid(path.named(name), "not hex") }
    guard target.token.length.isMultiple(of: 2) else {
      throw .invalid(path.named(name), "odd number of hex digits")
    }
    try checkTopic(path, &target, content)
    let credential =
      switch target.environment {
      case .production: rules.apps[app].apnsProduction
      case .sandbox: rules.apps[app].apnsSandbox
      }
    if credential < 0 {
      throw EventFault(
        .noCredential, "\(path): the app has no APNs credential for \(target.environment)")
    }
    target.credential = Int(credential)
  }

  /// A call to a device without a PushKit token is shown as an alert.
  func mayFallBack(_ content: EventContent) -> Bool {
    !content.facts.wishIsExplicit && rules.types[content.facts.type].builtIn == .call
  }

  private func checkTopic(
    _ path: FieldPath, _ target: inout PushTarget, _ content: EventContent
  ) throws(EventFault) {
    let app = content.facts.app
    if target.topic.isEmpty {
      target.topic = rules.apps[app].topic
      if target.topic.isEmpty { throw EventFault(.noCredential, "\(path): no APNs topic is known") }
      return
    }
    let isGood = content.bytes.withBytes(of: target.topic) { bytes in
      for i in 0..<bytes.count where bytes[i] <= 0x20 || bytes[i] >= 0x7F { return false }
      return true
    }
    if !isGood { throw .invalid(path.named("apnsTopic"), "not a bundle id") }
    // The suffix follows the push type of each push, whatever the device was stored with.
    if rules.apps[app].suffix(of: content.bytes.array(target.topic), content) != nil {
      target.topic = rules.apps[app].topic
    }
  }

  private func chooseFCM(
    _ device: Device, _ path: FieldPath, _ target: inout PushTarget, _ content: EventContent
  ) throws(EventFault) {
    let app = rules.apps[content.facts.app]
    target.provider = .fcm
    target.topic = .none
    if !device.fid.isEmpty {
      target.token = device.fid
      target.kind = .fid
    } else {
      if device.token.isEmpty {
        throw .invalid(path.named("token"), device.token.isPresent ? "empty" : "required")
      }
      target.token = device.token
      target.kind = try kind(of: device.token, path, app, content)
      target.isFIDByShape = target.kind == .fid
    }
    if !isPrintable(target.token, content) {
      throw .invalid(path.named(device.fid.isEmpty ? "token" : "fid"), "not a token of FCM")
    }
    // A device of unknown kind may be Apple's.
    if target.platform?.isApple ?? true { try checkRelay(device, path, &target, content) }
    if app.fcm < 0 { throw EventFault(.noCredential, "\(path): the app has no FCM credential") }
    target.credential = Int(app.fcm)
  }

  /// No token has other bytes, or so many.
  private func isPrintable(_ token: Piece, _ content: EventContent) -> Bool {
    content.bytes.withBytes(of: token) { bytes in
      for i in 0..<bytes.count where bytes[i] <= 0x20 || bytes[i] >= 0x7F { return false }
      return bytes.count <= 4_096
    }
  }

  private func kind(
    of token: Piece, _ path: FieldPath, _ app: CompiledApp, _ content: EventContent
  ) throws(EventFault) -> TokenKind {
    // 64 or more hex digits are an APNs token, which FCM does not know.
    if token.length >= 64, isHex(token, content) {
      if !app.hasAPNs {
        throw EventFault(.noCredential, "\(path): an APNs token, and no APNs credential")
      }
      throw .invalid(path.named("token"), "an APNs token, which FCM does not know")
    }
    let shape = content.bytes.withBytes(of: token) { TokenShape($0) }
    return shape == .fid ? .fid : .device
  }

  /// What an Apple device behind FCM cannot get.
  private func checkRelay(
    _ device: Device, _ path: FieldPath, _ target: inout PushTarget, _ content: EventContent
  ) throws(EventFault) {
    switch content.facts.wish {
    case .alert, .background: break
    case .voip where mayFallBack(content): break
    case .liveactivity:
      if device.activityToken.isEmpty {
        throw .invalid(path.named("liveActivityToken"), "required")
      }
      target.activityToken = device.activityToken
    default:
      throw .invalid(path, "push type \(content.facts.wish.rawValue) does not go through FCM")
    }
  }
}
