import PushSettings
import TestSupport

/// A folder of its own with a configuration in it.
final class SettingsFolder {
  private let folder = TemporaryFolder()
  var path: String { folder.path }

  init(_ yaml: String? = nil) {
    if let yaml { add("allim.yaml", yaml) }
  }

  func add(_ name: String, _ text: String) { write([UInt8](text.utf8), to: folder.file(name)) }

  func load(
    environment: [String: String] = [:], flags: [SettingsSource.Flag] = [], isForWorker: Bool = true
  ) -> Result<LoadedSettings, SettingsProblems> {
    var source = SettingsSource()
    source.environment = environment
    source.flags = flags
    source.isForWorker = isForWorker
    source.searchPath = [path + "/allim.yaml"]
    return SettingsLoader.load(source)
  }

  /// The problems without the folder's name.
  func problems(environment: [String: String] = [:], isForWorker: Bool = true) -> [String] {
    guard
      case .failure(let problems) = load(environment: environment, isForWorker: isForWorker)
    else { return [] }
    return problems.problems.map {
      $0.description.replacing(path + "/", with: "")
    }
  }
}
