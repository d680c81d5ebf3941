internal import PushProviders
internal import PushSettings

/// Loads every key that the configuration names.
enum CredentialCheck {
  static func problems(_ loaded: LoadedSettings) -> [SettingsProblem] {
    do throws(ProviderCredentials.Refusal) {
      _ = try ProviderCredentials(loaded.settings)
      return []
    } catch {
      return error.problems.map { loaded.problem($0.settingsKey, reason: $0.error.text) }
    }
  }
}
