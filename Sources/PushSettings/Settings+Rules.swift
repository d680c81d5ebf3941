package import PushModel

extension Settings {
  /// What the configuration makes of an event. `projectIDs` names, by app, the project of the
  /// service account, for apps that configure none.
  package func messageRules(projectIDs: [String: String] = [:]) -> MessageRules {
    MessageRules(
      apps: apps.map { $0.rules(projectID: projectIDs[$0.name]) }, types: types, limits: limits)
  }
}

extension Settings.App {
  fileprivate func rules(projectID: String?) -> AppRules {
    var rules = AppRules(name: name)
    rules.apns = apns.map { apns in
      var rules = AppRules.APNsRules(topic: apns.topic)
      rules.environment = apns.environment
      return rules
    }
    rules.fcm = fcm.map { fcm in
      var rules = AppRules.FCMRules(projectID: fcm.projectID ?? projectID ?? "")
      rules.collapse = fcm.collapse
      return rules
    }
    rules.androidStyle = androidStyle
    rules.dataKeys = dataKeys
    rules.channels = channels
    rules.texts = texts
    return rules
  }
}

/// One set of provider rights that the configuration names.
package struct ConfiguredCredential: Sendable {
  package enum Secret: Sendable {
    case tokenKey(Settings.TokenKey, topic: String)
    case certificate(file: String, passwordFile: String?)
    case serviceAccount(file: String)
  }
  package var key: CredentialKey
  package var secret: Secret
  package var connections: Settings.Connections
  package var endpoint: HostPort
  /// The configuration's key of the file, for problems with it.
  package var settingsKey: String
}

extension Settings {
  /// All credentials; an app with one APNs key has it for both environments.
  package var credentials: [ConfiguredCredential] {
    apps.flatMap { app in apnsCredentials(app) + fcmCredentials(app) }
  }

  private func apnsCredentials(_ app: App) -> [ConfiguredCredential] {
    guard let apns = app.apns else { return [] }
    return APNsEnvironment.allCases.compactMap { environment in
      guard let key = apns.key(environment) else { return nil }
      let isOwn = environment == .sandbox && apns.sandbox != nil
      let place = "apps.\(app.name).apns.\(isOwn ? "sandbox" : "production")."
      let secret: ConfiguredCredential.Secret =
        if let file = key.certificateFile {
          .certificate(file: file, passwordFile: key.passwordFile)
        } else {
          .tokenKey(key, topic: apns.topic)
        }
      return ConfiguredCredential(
        key: CredentialKey(app: app.name, provider: .apns, environment: environment),
        secret: secret, connections: apns.connections,
        endpoint: environment == .sandbox ? endpoints.apnsSandbox : endpoints.apnsProduction,
        settingsKey: place + (key.certificateFile == nil ? "keyFile" : "certificateFile"))
    }
  }

  private func fcmCredentials(_ app: App) -> [ConfiguredCredential] {
    guard let fcm = app.fcm else { return [] }
    return [
      ConfiguredCredential(
        key: CredentialKey(app: app.name, provider: .fcm),
        secret: .serviceAccount(file: fcm.serviceAccountFile), connections: fcm.connections,
        endpoint: endpoints.fcm, settingsKey: "apps.\(app.name).fcm.serviceAccountFile")
    ]
  }
}
