/// One key of the configuration, bound to its place in `Root`.
struct SettingRow<Root>: Sendable {
  /// Within its root, such as `fcm.projectId`.
  let path: String
  /// The key that it sets; another one for the `…File` form of a secret.
  let target: String
  let allowed: String
  let doc: String
  /// What of a text may be printed in a problem.
  let shown: @Sendable (String) -> String
  let set: @Sendable (inout Root, String, ReadContext) throws(ValueRefusal) -> Void
  /// The value as text; nil when there is none.
  let text: @Sendable (Root) -> String?
  /// The value when it names a file that must be readable.
  let file: @Sendable (Root) -> String?
}

extension SettingRow {
  typealias Place<T> = any WritableKeyPath<Root, T> & Sendable

  static func key<T>(
    _ path: String, _ place: Place<T>, _ type: ValueType<T>, _ doc: String
  ) -> SettingRow {
    SettingRow(
      path: path, target: path, allowed: type.allowed, doc: doc, shown: type.shown,
      set: { (root, text, context) throws(ValueRefusal) in
        root[keyPath: place] = try type.parse(text, context)
      },
      text: { type.text($0[keyPath: place]) }, file: { _ in nil })
  }

  /// A key that may be absent.
  static func optional<T>(
    _ path: String, _ place: Place<T?>, _ type: ValueType<T>, _ doc: String
  ) -> SettingRow {
    SettingRow(
      path: path, target: path, allowed: type.allowed, doc: doc, shown: type.shown,
      set: { (root, text, context) throws(ValueRefusal) in
        root[keyPath: place] = try type.parse(text, context)
      },
      text: { $0[keyPath: place].map(type.text) }, file: { _ in nil })
  }

  static func optionalFile(_ path: String, _ place: Place<String?>, _ doc: String) -> SettingRow {
    optional(path, place, .file, doc).naming { $0[keyPath: place] }
  }

  /// A file that is required once its group is there; empty while it is not set.
  static func file(_ path: String, _ place: Place<String>, _ doc: String) -> SettingRow {
    key(path, place, .file, doc).naming {
      $0[keyPath: place].isEmpty ? nil : $0[keyPath: place]
    }
  }

  /// The `…File` form of a secret: the first line of a file.
  static func secretFile(
    of target: String, _ place: Place<String?>, _ type: ValueType<String>
  ) -> SettingRow {
    SettingRow(
      path: target + "File", target: target, allowed: "the name of a file",
      doc: "A file whose first line is `\(target)`.", shown: { $0 },
      set: { (root, text, context) throws(ValueRefusal) in
        let path = try ValueType.file.parse(text, context)
        root[keyPath: place] = try type.parse(try firstLine(path), context)
      },
      text: { _ in nil }, file: { _ in nil })
  }

  private static func firstLine(_ path: String) throws(ValueRefusal) -> String {
    do throws(SettingsFile.Failure) {
      let text = String(decoding: try SettingsFile.read(path), as: UTF8.self)
      return String(text.prefix { !$0.isNewline })
    } catch { throw .because("cannot be read: \(error.reason)") }
  }

  /// The same key inside of a larger root.
  func placed<Outer>(
    in prefix: String, at place: any WritableKeyPath<Outer, Root> & Sendable
  ) -> SettingRow<Outer> {
    SettingRow<Outer>(
      path: prefix + path, target: prefix + target, allowed: allowed, doc: doc, shown: shown,
      set: { (root, text, context) throws(ValueRefusal) in
        try set(&root[keyPath: place], text, context)
      },
      text: { text($0[keyPath: place]) }, file: { file($0[keyPath: place]) })
  }

  private func naming(_ file: @escaping @Sendable (Root) -> String?) -> SettingRow {
    SettingRow(
      path: path, target: target, allowed: allowed, doc: doc, shown: shown, set: set, text: text,
      file: file)
  }
}
