package import PushModel

extension Settings {
  /// One key of `apps:`.
  package struct App: Sendable {
    package var name: String
    package var apns: APNs?
    package var fcm: FCM?
    package var androidStyle = AndroidStyle.notification
    package var dataKeys = AppRules.DataKeys()
    package var channels: [String: AppRules.ChannelRules] = [:]
    package var texts = AppRules.Texts()

    package init(name: String) { self.name = name }
  }

  package struct APNs: Sendable {
    /// The bundle id; empty only while it is being read.
    package var topic = ""
    /// Of devices that name none.
    package var environment = APNsEnvironment.production
    package var production: TokenKey?
    /// nil = the production key, as old team keys allow.
    package var sandbox: TokenKey?
    package var connections = Connections()

    package init() {}

    /// The key for an environment.
    package func key(_ environment: APNsEnvironment) -> TokenKey? {
      switch environment {
      case .production: production
      case .sandbox: sandbox ?? production
      }
    }
  }

  /// What proves to APNs who we are: an authentication key, whose file is a PKCS#8 PEM, or a
  /// certificate with its key.
  package struct TokenKey: Sendable, Equatable {
    package var keyFile = ""
    package var keyID = ""
    package var teamID = ""
    /// PKCS#12 or PEM; nil = a key is used.
    package var certificateFile: String?
    /// The first line is the password of `certificateFile`.
    package var passwordFile: String?

    package init() {}
  }

  package struct FCM: Sendable {
    package var serviceAccountFile = ""
    /// nil = the account's.
    package var projectID: String?
    package var collapse = false
    /// Of the project; divided by the live processes. Google's own number (fcm.md 9).
    package var quotaPerMinute = 600_000
    package var connections = Connections()

    package init() {}
  }

  package struct Connections: Sendable, Equatable {
    package var min = 1
    package var max = 20
    /// Of each connection; 0 = no limit, only for endpoints on this machine.
    package var requestsPerSecond = 100

    package init() {}
  }
}

// A group reads as a new one until one of its keys is set: the table's key paths go through here.
extension Settings.App {
  var apnsOrNew: Settings.APNs {
    get { apns ?? Settings.APNs() }
    set { apns = newValue }
  }
  var fcmOrNew: Settings.FCM {
    get { fcm ?? Settings.FCM() }
    set { fcm = newValue }
  }
}

extension Settings.APNs {
  var productionOrNew: Settings.TokenKey {
    get { production ?? Settings.TokenKey() }
    set { production = newValue }
  }
  var sandboxOrNew: Settings.TokenKey {
    get { sandbox ?? Settings.TokenKey() }
    set { sandbox = newValue }
  }
}
