/// Everything of the configuration that decides what an event becomes. Immutable, shared by all.
package struct MessageRules: Sendable {
  package var apps: [AppRules]
  package var types: [String: TypeRules]
  package var limits: ItemLimits

  package init(
    apps: [AppRules], types: [String: TypeRules] = TypeRules.builtIn,
    limits: ItemLimits = ItemLimits()
  ) {
    self.apps = apps
    self.types = types
    self.limits = limits
  }
}

/// The largest item accepted (EVENTS.md 1, end).
package struct ItemLimits: Sendable, Equatable {
  package var itemBytes = 32 * 1024 * 1024
  package var devices = 100_000
  package var depth = 64
  package var numberDigits = 1_000

  package init() {}
}

/// Message settings of one key of `apps:`.
package struct AppRules: Sendable {
  package var name: String
  package var apns: APNsRules?
  package var fcm: FCMRules?
  package var androidStyle = AndroidStyle.notification
  package var dataKeys = DataKeys()
  /// `channels:` by channel name.
  package var channels: [String: ChannelRules] = [:]
  package var texts = Texts()

  package init(name: String) { self.name = name }

  package struct APNsRules: Sendable {
    package var topic: String
    /// Of devices that name none.
    package var environment = APNsEnvironment.production

    package init(topic: String) { self.topic = topic }
  }

  package struct FCMRules: Sendable {
    package var projectID: String
    package var collapse = false

    package init(projectID: String) { self.projectID = projectID }
  }

  package struct DataKeys: Sendable {
    package var type = "type"
    package var room = "chatRoomId"
    package var message = "messageId"
    package var lastRead = "lastReadChatId"
    package var image = "image"

    package init() {}
  }

  package struct ChannelRules: Sendable {
    /// False silences the channel on iOS (`sound: none`).
    package var sound: SoundRule

    package init(_ sound: SoundRule = .inherit) { self.sound = sound }
  }

  package struct Texts: Sendable {
    package var image = "📷"
    package var missedCall = "Missed call"

    package init() {}
  }
}

package enum AndroidStyle: String, Sendable, CaseIterable { case notification, data }

package enum SoundRule: Sendable, Equatable {
  case inherit
  case none
  case named(String)
}

package enum EventPriority: String, Sendable, CaseIterable { case high, normal, low }

/// Defaults of one event type (EVENTS.md 1, "Types and their defaults"; `types:` in the config).
package struct TypeRules: Sendable {
  /// The wish; content decides (EVENTS.md, "Push type follows content").
  package var pushType = PushType.alert
  package var priority = EventPriority.high
  /// Lifetime in seconds.
  package var ttl: Int64 = 86_400
  /// Templates such as `{room.name}`; nil = the built-in rule of the type, or none.
  package var title: String?
  package var body: String?
  package var category: String?
  package var channel: String?
  package var sound: String?
  /// nil = the app's `androidStyle`.
  package var style: AndroidStyle?
  package var expired = ExpiredRule.count
  /// The `type` value in the custom data.
  package var dataType: String?
  /// The built-in type this one behaves like; nil for a plain type of the config.
  package var builtIn: BuiltInType?

  package enum ExpiredRule: String, Sendable, CaseIterable { case letter, count }

  package init() {}
}

/// Types with rules of their own in EVENTS.md.
package enum BuiltInType: String, Sendable, CaseIterable {
  case message, notice, call, callEnd, read, withdraw, sync
}

extension TypeRules {
  /// The seven types every configuration starts from.
  package static let builtIn: [String: TypeRules] = {
    var all: [String: TypeRules] = [:]
    func add(_ type: BuiltInType, _ change: (inout TypeRules) -> Void) {
      var rules = TypeRules()
      rules.builtIn = type
      change(&rules)
      all[type.rawValue] = rules
    }
    add(.message) {
      $0.category = "message"
      $0.dataType = "chat"
      $0.expired = .letter
    }
    add(.notice) {
      $0.priority = .normal
      $0.ttl = 259_200
      $0.dataType = "notice"
      $0.expired = .letter
    }
    add(.call) {
      $0.pushType = .voip
      $0.ttl = 30
      $0.style = .data
      $0.dataType = "call"
    }
    add(.callEnd) {
      $0.ttl = 30
      $0.style = .data
      $0.dataType = "callEnd"
    }
    for type in [BuiltInType.read, .withdraw, .sync] {
      add(type) {
        $0.pushType = .background
        $0.priority = .normal
        $0.ttl = 3_600
        $0.dataType = type.rawValue
      }
    }
    return all
  }()
}
