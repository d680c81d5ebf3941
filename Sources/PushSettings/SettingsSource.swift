internal import Glibc

/// Everything a configuration is read from.
package struct SettingsSource: Sendable {
  /// One value given on the command line.
  package struct Flag: Sendable {
    /// As typed, such as `--redis`.
    package var name: String
    /// The key it sets, such as `redis.url`.
    package var key: String
    package var value: String

    package init(name: String, key: String, value: String) {
      self.name = name
      self.key = key
      self.value = value
    }
  }

  /// `--config`.
  package var configFile: String?
  package var flags: [Flag] = []
  package var environment: [String: String] = [:]
  /// Looked for in this order when none is named.
  package var searchPath = ["allim.yaml", "/etc/allim/allim.yaml"]
  /// True for a process that serves: Redis must be named, and files must be readable. An
  /// operator's command finds the embedded Redis by its socket and needs no keys.
  package var isForWorker = true
  /// Says what is wrong with a Redis URL; nil = nothing.
  package var redisURLProblem: @Sendable (String) -> String? = { _ in nil }

  package init() {}

  /// The environment as the process was started with. Read from /proc, since `environ` may be
  /// changed by any thread.
  package static func processEnvironment() -> [String: String] {
    guard let bytes = try? SettingsFile.read("/proc/self/environ") else { return [:] }
    var environment: [String: String] = [:]
    for entry in bytes.split(separator: 0) {
      let text = String(decoding: entry, as: UTF8.self)
      guard let equals = text.firstIndex(of: "=") else { continue }
      environment[String(text[..<equals])] = String(text[text.index(after: equals)...])
    }
    return environment
  }
}
