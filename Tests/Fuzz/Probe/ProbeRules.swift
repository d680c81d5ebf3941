internal import PushCodec
internal import PushModel

/// The settings that items are tried with: apps with both providers, with one, and a type of ours.
enum ProbeRules: CaseIterable {
  case bothApps, chat, meals, sandbox

  func codec() -> MessageCodec {
    var chat = AppRules(name: "chat")
    chat.apns = AppRules.APNsRules(topic: "com.example.chat")
    if self != .sandbox { chat.fcm = AppRules.FCMRules(projectID: "example-project") }
    if self == .sandbox { chat.apns?.environment = .sandbox }
    var meals = AppRules(name: "meals")
    meals.fcm = AppRules.FCMRules(projectID: "meals-project")
    meals.fcm?.collapse = true
    meals.androidStyle = .data
    meals.channels["daily_menu"] = AppRules.ChannelRules(.none)
    let apps: [AppRules] =
      switch self {
      case .bothApps: [chat, meals]
      case .chat, .sandbox: [chat]
      case .meals: [meals]
      }
    var rules = MessageRules(apps: apps)
    rules.types["promo"] = promo
    return MessageCodec(rules: rules, credentials: credentials)
  }

  private var promo: TypeRules {
    var promo = TypeRules()
    promo.priority = .normal
    promo.ttl = 3_600
    promo.title = "{room.name}"
    promo.body = "{sender.name}: {message.text}"
    return promo
  }

  private var credentials: Set<CredentialKey> {
    let sandbox = CredentialKey(app: "chat", provider: .apns, environment: .sandbox)
    if self == .sandbox { return [sandbox] }
    return [
      sandbox, CredentialKey(app: "chat", provider: .apns),
      CredentialKey(app: "chat", provider: .fcm), CredentialKey(app: "meals", provider: .fcm),
    ]
  }
}
