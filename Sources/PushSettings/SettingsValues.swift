/// Where a peer listens.
package struct HostPort: Sendable, Equatable, CustomStringConvertible {
  package var host: String
  package var port: Int

  package init(host: String, port: Int) {
    self.host = host
    self.port = port
  }

  /// `host:port` or `[address]:port`; nil for anything else.
  package init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
      (0...65_535).contains(port)
    else { return nil }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      return nil
    }
    guard !host.isEmpty, host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") })
    else { return nil }
    self.init(host: String(host), port: port)
  }

  package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

  /// True for this machine, where no provider can be troubled.
  package var isLoopback: Bool {
    host == "localhost" || host == "::1"
      || host.hasPrefix("127.") && host.split(separator: ".").count == 4
        && host.utf8.allSatisfy {
          $0 == UInt8(ascii: ".") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        }
  }
}

extension ValueType where T == HostPort {
  static var proxyURL: ValueType {
    ValueType(
      allowed: "http://host:port",
      // A password that stands where it must not is not repeated.
      shown: { $0.contains("@") ? "…" : $0 },
      parse: { (text, _) throws(ValueRefusal) in
        if text.hasPrefix("https://") {
          throw .because("a proxy that is itself reached by TLS is not supported")
        }
        if text.contains("@") {
          throw .because("user and password belong in proxy.user and proxy.passwordFile")
        }
        guard text.hasPrefix("http://") else { throw .notAllowed }
        let place = text.dropFirst(7)
        guard let address = HostPort(String(place.hasSuffix("/") ? place.dropLast() : place)),
          address.port > 0
        else { throw .notAllowed }
        return address
      }, text: { "http://\($0)" })
  }
}

package struct DurationRange: Sendable, Equatable {
  package var from: Duration
  package var to: Duration

  package init(from: Duration, to: Duration) {
    self.from = from
    self.to = to
  }
}

/// Numbers with a unit, as the file writes them.
enum Quantity {
  private static let times: [(unit: String, milliseconds: Int64)] = [
    ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1),
  ]
  private static let sizes: [(unit: String, bytes: Int)] = [
    ("gb", 1 << 30), ("mb", 1 << 20), ("kb", 1 << 10), ("b", 1),
  ]

  static func duration(_ text: String) -> Duration? {
    let number = text.prefix { $0.isASCII && $0.isNumber }
    let unit = text.dropFirst(number.count)
    guard let amount = Int64(number), let scale = times.first(where: { $0.unit == unit }) else {
      return nil
    }
    let (milliseconds, overflow) = amount.multipliedReportingOverflow(by: scale.milliseconds)
    return overflow || milliseconds > 366 * 86_400_000 ? nil : .milliseconds(milliseconds)
  }

  static func text(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    let milliseconds = seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    if milliseconds == 0 { return "0s" }
    let scale = times.first { milliseconds % $0.milliseconds == 0 } ?? ("ms", 1)
    return "\(milliseconds / scale.milliseconds)\(scale.unit)"
  }

  static func size(_ text: String) -> Int? {
    let number = text.prefix { $0.isASCII && $0.isNumber }
    let unit = text.dropFirst(number.count).lowercased()
    guard let amount = Int(number), let scale = sizes.first(where: { $0.unit == unit }) else {
      return nil
    }
    let (bytes, overflow) = amount.multipliedReportingOverflow(by: scale.bytes)
    return overflow ? nil : bytes
  }

  static func text(bytes: Int) -> String {
    let scale = sizes.first { bytes % $0.bytes == 0 } ?? ("b", 1)
    return "\(bytes / scale.bytes)\(scale.unit)"
  }
}

extension Duration {
  /// A duration as settings and options write it, such as `15m`.
  package init?(setting text: String) {
    guard let duration = Quantity.duration(text) else { return nil }
    self = duration
  }
}
