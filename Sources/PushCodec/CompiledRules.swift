import PushModel

/// The settings of one app as the codec reads them.
final class CompiledApp {
  let name: String
  let nameBytes: Piece
  /// Index into `CompiledRules.credentials`; -1 when the app has none.
  let apnsProduction: Int16
  let apnsSandbox: Int16
  let fcm: Int16
  let environment: APNsEnvironment
  let topic: Piece
  let collapses: Bool
  let style: AndroidStyle
  let keys: Keys
  let textImage: Piece
  let textMissedCall: Piece
  let channels: [(name: Piece, sound: SoundRule, file: Piece)]

  /// The names of custom data that the app's types add. Plain values, so that to hold them counts no
  /// owner of the app.
  struct Keys {
    let type: Piece
    let room: Piece
    let message: Piece
    let lastRead: Piece
    let image: Piece
  }

  var hasAPNs: Bool { apnsProduction >= 0 || apnsSandbox >= 0 }

  init(_ app: AppRules, _ credentials: [CredentialKey], _ pool: inout [UInt8]) {
    func credential(_ provider: Provider, _ place: APNsEnvironment = .production) -> Int16 {
      let key = CredentialKey(app: app.name, provider: provider, environment: place)
      return Int16(credentials.firstIndex(of: key) ?? -1)
    }
    func add(_ text: String) -> Piece { CompiledRules.add(text, to: &pool) }
    name = app.name
    nameBytes = add(app.name)
    apnsProduction = credential(.apns)
    apnsSandbox = credential(.apns, .sandbox)
    fcm = credential(.fcm)
    environment = app.apns?.environment ?? .production
    topic = app.apns.map { add($0.topic) } ?? .none
    collapses = app.fcm?.collapse ?? false
    style = app.androidStyle
    let names = app.dataKeys
    keys = Keys(
      type: add(names.type), room: add(names.room), message: add(names.message),
      lastRead: add(names.lastRead), image: add(names.image))
    textImage = add(app.texts.image)
    textMissedCall = add(app.texts.missedCall)
    channels = app.channels.sorted { $0.key < $1.key }.map { name, channel in
      if case .named(let file) = channel.sound { return (add(name), channel.sound, add(file)) }
      return (add(name), channel.sound, .none)
    }
  }
}

/// The settings of one event type as the codec reads them.
final class CompiledType {
  let name: String
  let nameBytes: Piece
  let builtIn: BuiltInType?
  let pushType: PushType
  let priority: EventPriority
  /// Seconds.
  let ttl: Int64
  let style: AndroidStyle?
  let expired: TypeRules.ExpiredRule
  let title: Template?
  let body: Template?
  let category: Piece
  let channel: Piece
  let sound: Piece
  let dataType: Piece

  init(_ name: String, _ rules: TypeRules, _ pool: inout [UInt8]) {
    func add(_ text: String?) -> Piece {
      text.map { CompiledRules.add($0, to: &pool) } ?? .none
    }
    self.name = name
    builtIn = rules.builtIn
    pushType = rules.pushType
    priority = rules.priority
    ttl = rules.ttl
    style = rules.style
    expired = rules.expired
    nameBytes = add(name)
    title = rules.title.map { Template($0, &pool) }
    body = rules.body.map { Template($0, &pool) }
    category = add(rules.category)
    channel = add(rules.channel)
    sound = add(rules.sound)
    // A type of the configuration is known to the app by its own name.
    dataType = add(rules.dataType ?? name)
  }
}

/// The configuration as the codec reads it: words as bytes in one pool, credentials as numbers.
final class CompiledRules {
  let pool: FixedBytes
  let apps: [CompiledApp]
  let types: [CompiledType]
  let credentials: [CredentialKey]
  let limits: ItemLimits
  let names: FixedNames

  init(_ rules: MessageRules, credentials: Set<CredentialKey>) {
    let sorted = credentials.sorted { "\($0)" < "\($1)" }
    var pool: [UInt8] = []
    self.credentials = sorted
    limits = rules.limits
    names = FixedNames(&pool)
    apps = rules.apps.map { CompiledApp($0, sorted, &pool) }
    types = rules.types.sorted { $0.key < $1.key }.map { CompiledType($0.key, $0.value, &pool) }
    self.pool = FixedBytes(pool)
  }

  static func add(_ text: String, to pool: inout [UInt8]) -> Piece {
    let start = pool.count
    pool.append(contentsOf: text.utf8)
    let needsEscape = text.utf8.contains { JSONEscape.encodedCount($0) > 1 }
    return Piece(.rules, start..<pool.count, needsEscape ? .text : .plain)
  }
}

/// Words that stand in messages whatever the configuration.
struct FixedNames {
  let senderName: Piece
  let senderID: Piece
  let senderImage: Piece
  let url: Piece
  let channel: Piece
  let title: Piece
  let body: Piece
  let tag: Piece
  let defaultSound: Piece
  let colon: Piece

  init(_ pool: inout [UInt8]) {
    senderName = CompiledRules.add("senderName", to: &pool)
    senderID = CompiledRules.add("senderId", to: &pool)
    senderImage = CompiledRules.add("senderImage", to: &pool)
    url = CompiledRules.add("url", to: &pool)
    channel = CompiledRules.add("channel", to: &pool)
    title = CompiledRules.add("title", to: &pool)
    body = CompiledRules.add("body", to: &pool)
    tag = CompiledRules.add("tag", to: &pool)
    defaultSound = CompiledRules.add("default", to: &pool)
    colon = CompiledRules.add(": ", to: &pool)
  }
}
