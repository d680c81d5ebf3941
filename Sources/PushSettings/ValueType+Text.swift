internal import PushModel

extension ValueType where T == String {
  static var text: ValueType {
    ValueType(allowed: "text of 1 to 1,000 bytes", read: { plain($0, 1_000) }, text: { $0 })
  }

  /// A name of a file, relative to the configuration's folder.
  static var file: ValueType {
    ValueType(
      allowed: "the name of a file",
      parse: { (text, context) throws(ValueRefusal) in
        guard let name = plain(text, 4_096) else { throw .notAllowed }
        return SettingsFile.resolve(name, in: context.directory)
      }, text: { $0 })
  }

  static func letters(_ allowed: String, _ isAllowed: @escaping @Sendable (String) -> Bool)
    -> ValueType
  { ValueType(allowed: allowed, read: { isAllowed($0) ? $0 : nil }, text: { $0 }) }

  /// Apple's identifiers of keys and teams.
  static var appleID: ValueType {
    letters("10 letters or digits") { $0.utf8.count == 10 && $0.utf8.allSatisfy(isAlphanumeric) }
  }

  static var bundleID: ValueType {
    letters("a bundle id of letters, digits, hyphens and dots") {
      (1...255).contains($0.utf8.count)
        && $0.utf8.allSatisfy {
          isAlphanumeric($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".")
        }
    }
  }

  static var projectID: ValueType {
    letters("a project id of lower-case letters, digits, hyphens, dots and colons") {
      (1...100).contains($0.utf8.count)
        && $0.utf8.allSatisfy {
          isAlphanumeric($0) && !(UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0)
            || [UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: ":")].contains($0)
        }
    }
  }

  static var httpsURL: ValueType {
    letters("a URL that begins with https://") {
      $0.hasPrefix("https://") && $0.utf8.count > 8 && $0.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
  }

  /// Of HTTP's basic scheme, where a colon ends it.
  static var proxyUser: ValueType {
    letters("a name of 1 to 255 bytes without a colon") {
      !$0.contains(":") && plain($0, 255) != nil
    }
  }

  /// A list whose companions can live in the same slot of a Redis Cluster: without braces, or with
  /// a hash tag that is not empty.
  static var queueName: ValueType {
    letters("a name of 1 to 200 bytes without blanks; braces only as a {tag}") { name in
      guard (1...200).contains(name.utf8.count), name.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F })
      else { return false }
      guard let open = name.firstIndex(of: "{") else { return !name.contains("}") }
      guard let close = name[open...].firstIndex(of: "}") else { return false }
      return name.index(after: open) < close
    }
  }

  private static var schemes: [String] {
    ["redis", "rediss", "unix", "sentinel", "sentinel+tls", "cluster", "cluster+tls"]
  }

  static var redisURL: ValueType {
    ValueType(
      allowed: "redis://, rediss://, unix:///…, sentinel:// or cluster:// URL, or embedded",
      shown: hidingPassword,
      parse: { (text, context) throws(ValueRefusal) in
        if text == "embedded" { return text }
        let scheme = text.prefix { $0 != ":" }.lowercased()
        guard schemes.contains(scheme), text.contains("://") else { throw .notAllowed }
        if let reason = context.redisURLProblem(text) { throw .because(reason) }
        return text
      }, text: hidingPassword)
  }
}

extension ValueType where T == HostPort {
  static var hostPort: ValueType {
    ValueType(
      allowed: "host:port, an IPv6 address in brackets", read: { HostPort($0) },
      text: { $0.description })
  }
}

extension ValueType where T == SoundRule {
  static var sound: ValueType {
    ValueType(
      allowed: "none, or the name of a sound",
      read: { text in text == "none" ? SoundRule.none : plain(text, 255).map { .named($0) } },
      text: { rule in
        switch rule {
        case .inherit: "as the event says"
        case .none: "none"
        case .named(let name): name
        }
      })
  }
}

/// The URL with everything between the user and the last `@` hidden.
@Sendable func hidingPassword(_ url: String) -> String {
  guard let at = url.lastIndex(of: "@") else { return url }
  let scheme = url.firstRange(of: "://").map { url[..<$0.upperBound] } ?? ""
  let login = url[scheme.endIndex..<at]
  let user = login.firstIndex(of: ":").map { login[..<$0] } ?? ""
  return "\(scheme)\(user):***\(url[at...])"
}

private func plain(_ text: String, _ limit: Int) -> String? {
  (1...limit).contains(text.utf8.count) && !text.utf8.contains(0) ? text : nil
}

@Sendable private func isAlphanumeric(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
    UInt8(ascii: "a")...UInt8(ascii: "z"):
    true
  default: false
  }
}
