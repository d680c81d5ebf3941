internal import PushSettings
internal import RedisClient

extension Invocation {
  /// The configuration that `--config`, `--redis` and the surroundings lead to.
  func loadSettings(isForWorker: Bool) throws(CommandFailure) -> LoadedSettings {
    switch SettingsLoader.load(settingsSource(isForWorker: isForWorker)) {
    case .success(let loaded): return loaded
    case .failure(let problems):
      throw CommandFailure(.misuse, messages: problems.problems.map(\.description))
    }
  }

  func settingsSource(isForWorker: Bool) -> SettingsSource {
    var source = SettingsSource()
    source.configFile = value("--config")
    source.environment = SettingsSource.processEnvironment()
    source.isForWorker = isForWorker
    source.redisURLProblem = { text in
      do throws(RedisError) {
        _ = try RedisURL(text)
        return nil
      } catch { return error.detail }
    }
    if let url = value("--redis") {
      source.flags = [SettingsSource.Flag(name: "--redis", key: "redis.url", value: url)]
    }
    return source
  }
}
