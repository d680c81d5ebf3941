internal import PushModel

/// Reads a configuration: the file, then the environment, then flags, each over the one before.
package enum SettingsLoader {
  package static func load(_ source: SettingsSource) -> Result<LoadedSettings, SettingsProblems> {
    let file = findFile(source)
    var reading = SettingsReading(
      environment: source.environment,
      context: ReadContext(
        directory: file.map { SettingsFile.directory(of: $0) } ?? ".",
        redisURLProblem: source.redisURLProblem), fileName: file ?? "")
    var settings = Settings()
    let isWhole = file.map { readFile($0, into: &settings, &reading) } ?? true
    // Outside of the file, names are relative to where the command was started.
    reading.context.directory = "."
    reading.readEnvironment(into: &settings)
    for flag in source.flags {
      guard let row = SettingsTable.root.first(where: { $0.path == flag.key }) else { continue }
      reading.set(
        row, of: &settings, prefix: "", to: flag.value, from: .flag, at: "flag \(flag.name)")
    }
    let isBare = file == nil && !hasVariables(source) && source.flags.isEmpty
    // What is missing may stand in the part of the file that could not be read.
    if isWhole {
      reading.check(settings, isForWorker: source.isForWorker)
      requireRedis(settings, isBare: isBare || !source.isForWorker, file, &reading)
    }
    guard reading.problems.isEmpty else { return .failure(SettingsProblems(reading.problems)) }
    return .success(loaded(settings, isBare: isBare, file, reading.places))
  }

  private static func findFile(_ source: SettingsSource) -> String? {
    if let named = source.configFile ?? source.environment[SettingsReading.configVariable] {
      return named
    }
    return source.searchPath.first { SettingsFile.exists($0) }
  }

  private static func hasVariables(_ source: SettingsSource) -> Bool {
    source.environment.keys.contains { $0.hasPrefix(SettingsReading.variablePrefix) }
  }

  /// Whether all of it could be read; what it says may still be refused.
  private static func readFile(
    _ file: String, into settings: inout Settings, _ reading: inout SettingsReading
  ) -> Bool {
    let bytes: [UInt8]
    do throws(SettingsFile.Failure) {
      bytes = try SettingsFile.read(file)
    } catch {
      reading.add(file, "", nil, "cannot be read: \(error.reason)")
      return false
    }
    do throws(YamlError) {
      let parser = try YamlParser()
      let document = try parser.parse(bytes)
      for problem in parser.problems {
        reading.add(reading.line(problem.line), "", nil, problem.reason)
      }
      if let document { reading.read(document, into: &settings) }
      return true
    } catch {
      reading.add(reading.line(error.line), "", nil, error.reason + hint(error.reason))
      return false
    }
  }

  /// libyaml's words for a tab help nobody who has not met it.
  private static func hint(_ reason: String) -> String {
    reason.contains("cannot start any token") ? " (is it a tab? YAML indents with blanks)" : ""
  }

  private static func requireRedis(
    _ settings: Settings, isBare: Bool, _ file: String?, _ reading: inout SettingsReading
  ) {
    guard settings.redis.url == nil, !isBare, reading.places["redis.url"] == nil else { return }
    reading.add(
      file ?? "", "redis.url", nil, "missing; allowed: \(ValueType<String>.redisURL.allowed)")
  }

  private static func loaded(
    _ settings: Settings, isBare: Bool, _ file: String?, _ places: [String: String]
  ) -> LoadedSettings {
    let isEmbedded = isBare || settings.redis.url == "embedded"
    let effective = SettingsTable.effective(settings, places)
    var settings = settings
    if isEmbedded { settings.redis.url = nil }
    return LoadedSettings(
      settings: settings, effective: effective, usesEmbeddedRedis: isEmbedded, file: file,
      places: places)
  }
}
