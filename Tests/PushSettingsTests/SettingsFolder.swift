import Glibc
import PushSettings

/// A folder of its own with a configuration in it.
final class SettingsFolder {
  let path: String
  private var files: [String] = []

  init(_ yaml: String? = nil) {
    var template = Array("/tmp/allim-settings-XXXXXX".utf8CString)
    path = unsafe String(cString: mkdtemp(&template))
    if let yaml { add("allim.yaml", yaml) }
  }

  deinit {
    for file in files { _ = unsafe unlink(file) }
    _ = unsafe rmdir(path)
  }

  @discardableResult func add(_ name: String, _ text: String) -> String {
    let file = path + "/" + name
    let stream = unsafe fopen(file, "w")
    _ = unsafe fputs(text, stream)
    _ = unsafe fclose(stream)
    files.append(file)
    return file
  }

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
