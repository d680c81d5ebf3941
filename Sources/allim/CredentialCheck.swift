internal import PushProviders
internal import PushSettings

/// Loads every key that the configuration names.
enum CredentialCheck {
  /// What keeps the worker from starting, and what is odd and does not.
  static func run(
    _ loaded: LoadedSettings
  ) -> (problems: [SettingsProblem], warnings: [SettingsProblem]) {
    func placed(_ problems: [ProviderCredentials.Problem]) -> [SettingsProblem] {
      problems.map { loaded.problem($0.settingsKey, reason: $0.error.text) }
    }
    do throws(ProviderCredentials.Refusal) {
      return ([], placed(try ProviderCredentials(loaded.settings).warnings))
    } catch {
      return (placed(error.problems), [])
    }
  }
}
