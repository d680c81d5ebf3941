internal import PushModel

// `ALLIM_REDIS_URL`, `ALLIM_APPS_CHAT_FCM_COLLAPSE`: one variable for each scalar.
extension SettingsReading {
  static let variablePrefix = "ALLIM_"
  /// Names the file itself.
  static let configVariable = "ALLIM_CONFIG"

  mutating func readEnvironment(into settings: inout Settings) {
    let variables = environment.filter { $0.key.hasPrefix(Self.variablePrefix) }
    for (name, value) in variables.sorted(by: { $0.key < $1.key }) where name != Self.configVariable
    {
      read(variable: name, value, into: &settings)
    }
  }

  private mutating func read(
    variable name: String, _ value: String, into settings: inout Settings
  ) {
    let place = "environment \(name)"
    if let row = SettingsTable.root.first(where: { Self.variable($0.path) == name }) {
      return set(row, of: &settings, prefix: "", to: value, from: .environment, at: place)
    }
    if let (row, owner) = Self.split(name, "ALLIM_APPS_", SettingsTable.app) {
      let index = Self.index(of: owner, in: &settings.apps)
      let prefix = "apps.\(settings.apps[index].name)."
      places[String(prefix.dropLast())] = places[String(prefix.dropLast())] ?? place
      return set(
        row, of: &settings.apps[index], prefix: prefix, to: value, from: .environment, at: place)
    }
    if let (row, owner) = Self.split(name, "ALLIM_TYPES_", SettingsTable.type) {
      let type = settings.types.keys.first { Self.variable($0, "") == owner } ?? owner.lowercased()
      return set(
        row, of: &settings.types[type, default: TypeRules()], prefix: "types.\(type).", to: value,
        from: .environment, at: place)
    }
    refuse(name, place)
  }

  private mutating func refuse(_ name: String, _ place: String) {
    let known = SettingsTable.root.map { Self.variable($0.path) } + [Self.configVariable]
    let nearest = nearestName(to: name, among: known) ?? ""
    let hint =
      nearest.isEmpty
      ? "allowed: ALLIM_ and a key in capitals, such as ALLIM_REDIS_URL"
      : "did you mean \"\(nearest)\"?"
    add(place, "", nil, "unknown variable, \(hint)")
  }

  /// `redis.allowEviction` as `ALLIM_REDIS_ALLOW_EVICTION`.
  static func variable(_ path: String, _ prefix: String = variablePrefix) -> String {
    var name = prefix
    var previous: Character = "."
    for letter in path {
      if letter.isUppercase, previous.isLowercase || previous.isNumber { name += "_" }
      name += letter.isLetter || letter.isNumber ? letter.uppercased() : "_"
      previous = letter
    }
    return name
  }

  /// The row whose name ends the variable's, the longest of them, and what stands before it.
  private static func split<Root>(
    _ name: String, _ group: String, _ rows: [SettingRow<Root>]
  ) -> (SettingRow<Root>, owner: String)? {
    guard name.hasPrefix(group) else { return nil }
    let rest = String(name.dropFirst(group.count))
    let fitting = rows.map { (row: $0, ending: variable($0.path, "_")) }
      .filter { rest.hasSuffix($0.ending) && rest.count > $0.ending.count }
    guard let best = fitting.max(by: { $0.ending.count < $1.ending.count }) else { return nil }
    return (best.row, String(rest.dropLast(best.ending.count)))
  }

  /// The app that a variable means; a new one when the file has none of that name.
  private static func index(of owner: String, in apps: inout [Settings.App]) -> Int {
    if let known = apps.firstIndex(where: { variable($0.name, "") == owner }) { return known }
    apps.append(Settings.App(name: owner.lowercased()))
    return apps.count - 1
  }
}
