/// A configuration without problems.
package struct LoadedSettings: Sendable {
  package var settings: Settings
  /// Every key with its value and where that came from, in the table's order.
  package var effective: [EffectiveSetting]
  /// True when there is no configuration at all, or `redis.url` says so.
  package var usesEmbeddedRedis: Bool
  /// The file that was read.
  package var file: String?
  /// Where keys were given, for problems that only later steps can find.
  let places: [String: String]

  /// Keys whose values another reading would change, or that only one of them has. A secret that
  /// changed is not among them, since its value is not kept here.
  package func changedKeys(in other: LoadedSettings) -> [String] {
    let (ours, theirs) = (values, other.values)
    return Set(ours.keys).union(theirs.keys).filter { ours[$0] != theirs[$0] }.sorted()
  }

  private var values: [String: String?] {
    Dictionary(effective.map { ($0.key, $0.value) }) { first, _ in first }
  }

  /// A problem with a key, placed where the key was given.
  package func problem(_ key: String, value: String? = nil, reason: String) -> SettingsProblem {
    SettingsProblem(place: place(of: key, in: places), key: key, value: value, reason: reason)
  }
}

/// One key as it is in force.
package struct EffectiveSetting: Sendable, Equatable {
  package var key: String
  /// Secrets are hidden; nil when nothing is set.
  package var value: String?
  /// `default`, `allim.yaml:12`, `environment ALLIM_WORKERS`, `flag --redis`.
  package var origin: String
}

/// Where a key or the nearest group around it was given; empty when nowhere.
func place(of key: String, in places: [String: String]) -> String {
  var key = key[...]
  while true {
    if let place = places[String(key)] { return place }
    guard let dot = key.lastIndex(of: ".") else { return "" }
    key = key[..<dot]
  }
}
