/// A YAML document as far as a configuration needs it, each part with its line.
indirect enum YamlNode {
  case scalar(String, line: Int, isPlain: Bool)
  case list([YamlNode], line: Int)
  case map([YamlEntry], line: Int)

  var line: Int {
    switch self {
    case .scalar(_, let line, _), .list(_, let line), .map(_, let line): line
    }
  }

  /// `key:` with nothing behind it.
  var isEmpty: Bool {
    switch self {
    case .scalar(let text, _, let isPlain): isPlain && ["", "~", "null"].contains(text)
    case .list(let items, _): items.isEmpty
    case .map(let entries, _): entries.isEmpty
    }
  }

  var kind: String {
    switch self {
    case .scalar: "a value"
    case .list: "a list"
    case .map: "a group of keys"
    }
  }
}

struct YamlEntry {
  var key: String
  var line: Int
  var node: YamlNode
}

struct YamlError: Error, Equatable {
  var line: Int
  var reason: String
}
