internal import PushCodec
internal import PushTelemetry

/// JSON laid out for a person: what fits stands on one line, the rest is indented.
struct JSONLayout {
  private static let width = 96

  private let bytes: [UInt8]
  private let tokens: [JSONToken]
  /// Members, as `message.token` or anywhere as `*.token`, whose strings are device tokens and are
  /// shortened.
  private let hidden: Set<String>

  /// Wherever an event names a device.
  static let deviceTokens: Set = [
    "*.token", "*.fid", "*.voipToken", "*.liveActivityToken", "*.pushToken",
  ]

  /// nil for what is not JSON.
  init?(_ bytes: [UInt8], hiding hidden: Set<String> = []) {
    // Blocks that an event brings may nest deeper than an event.
    var scanner = JSONScanner(maximumDepth: 256, maximumDigits: Int.max)
    do throws(JSONFault) { try scanner.scan(bytes.span) } catch { return nil }
    self.bytes = bytes
    self.hidden = hidden
    tokens = scanner.tokens
  }

  var text: String { text(0, at: "", indent: 0, before: Self.width) }

  /// - Parameter before: characters of the line that its key takes; more than the width for the
  ///   whole text, which never stands on one line.
  private func text(_ token: Int, at path: String, indent: Int, before: Int) -> String {
    let line = onOneLine(token, at: path)
    let isContainer = tokens[token].kind == .object || tokens[token].kind == .array
    if !isContainer || line.count <= 2 || indent + before + line.count <= Self.width {
      return line
    }
    let isObject = tokens[token].kind == .object
    let margin = String(repeating: " ", count: indent + 2)
    let parts = children(of: token, at: path).map { child in
      let label = child.label.map { $0 + ": " } ?? ""
      return margin + label
        + text(child.value, at: child.path, indent: indent + 2, before: label.count + 1)
    }
    let end = String(repeating: " ", count: indent) + (isObject ? "}" : "]")
    return (isObject ? "{" : "[") + "\n" + parts.joined(separator: ",\n") + "\n" + end
  }

  private func onOneLine(_ token: Int, at path: String) -> String {
    switch tokens[token].kind {
    case .object:
      let parts = children(of: token, at: path).map {
        ($0.label ?? "") + ": " + onOneLine($0.value, at: $0.path)
      }
      return "{" + parts.joined(separator: ", ") + "}"
    case .array:
      let parts = children(of: token, at: path).map { onOneLine($0.value, at: $0.path) }
      return "[" + parts.joined(separator: ", ") + "]"
    case .string: return isHidden(path) ? "\"\(redact(token: raw(token)))\"" : quoted(token)
    case .number, .yes, .no, .null: return raw(token)
    }
  }

  private func isHidden(_ path: String) -> Bool {
    let name = path.split(separator: ".").last ?? ""
    return hidden.contains(path) || hidden.contains("*.\(name)")
  }

  private struct Child {
    var label: String?
    var value: Int
    var path: String
  }

  private func children(of container: Int, at path: String) -> [Child] {
    let isObject = tokens[container].kind == .object
    var children: [Child] = []
    var at = container + 1
    while at < Int(tokens[container].next) {
      let value = isObject ? at + 1 : at
      let name = isObject ? raw(at) : ""
      children.append(
        Child(
          label: isObject ? quoted(at) : nil, value: value,
          path: path.isEmpty ? name : path + "." + name))
      at = Int(tokens[value].next)
    }
    return children
  }

  private func raw(_ token: Int) -> String {
    String(decoding: bytes[Int(tokens[token].start)..<Int(tokens[token].end)], as: UTF8.self)
  }

  private func quoted(_ token: Int) -> String { "\"\(shown(raw(token)))\"" }
}
