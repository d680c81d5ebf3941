/// What is gathered while the sources are read.
struct SettingsReading {
  /// Higher ones win over lower ones; within one, a key may be given once.
  enum Source: Int { case file, environment, flag }

  var problems: [SettingsProblem] = []
  /// Where keys and groups were given.
  var places: [String: String] = [:]
  private var sources: [String: Source] = [:]

  let environment: [String: String]
  var context: ReadContext
  let fileName: String

  init(environment: [String: String], context: ReadContext, fileName: String) {
    self.environment = environment
    self.context = context
    self.fileName = fileName
  }

  func line(_ line: Int) -> String { line > 0 ? "\(fileName):\(line)" : fileName }

  mutating func add(_ place: String, _ key: String, _ value: String? = nil, _ reason: String) {
    problems.append(SettingsProblem(place: place, key: key, value: value, reason: reason))
  }

  /// Sets one key; `prefix` names the group of the row's root, such as `apps.chat.`.
  mutating func set<Root>(
    _ row: SettingRow<Root>, of root: inout Root, prefix: String, to text: String,
    from source: Source,
    at place: String
  ) {
    let (key, target) = (prefix + row.path, prefix + row.target)
    guard sources[target] != source else {
      return add(place, key, nil, "given twice: \(target) and \(target)File exclude each other")
    }
    sources[target] = source
    places[target] = place
    do throws(ValueRefusal) {
      try row.set(&root, text, context)
    } catch {
      switch error {
      case .notAllowed: add(place, key, row.shown(text), "not allowed; allowed: \(row.allowed)")
      case .notYet:
        add(place, key, row.shown(text), "not supported yet; allowed: \(row.allowed)")
      case .because(let reason):
        add(place, key, row.shown(text), "\(reason); allowed: \(row.allowed)")
      }
    }
  }
}
