internal import CYaml

/// libyaml as it runs.
package enum YamlLibrary {
  package static var version: String { unsafe String(cString: yaml_get_version_string()) }
}
