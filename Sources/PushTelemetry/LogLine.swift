/// Formats one record into a buffer that is kept between records.
struct LogLine {
  /// A value longer than this is cut, so that a record stays within PIPE_BUF (4,096 bytes) and two
  /// processes that share stderr never mix within a line.
  static let longestValue = 512

  private(set) var bytes: [UInt8] = []

  mutating func begin(syslogDigit: UInt8?) {
    bytes.removeAll(keepingCapacity: true)
    guard let syslogDigit else { return }
    bytes += [UInt8(ascii: "<"), syslogDigit, UInt8(ascii: ">")]
  }

  mutating func write(
    _ format: LogFormat, time: Int64, level: LogLevel, message: StaticString,
    _ pairs: KeyValuePairs<LogKey, LogValue>
  ) {
    if format == .json { bytes.append(UInt8(ascii: "{")) }
    name("time", format, isFirst: true)
    stamp(time, format)
    name("level", format)
    text(level.name, format)
    name("message", format)
    text(message.description, format)
    for (key, value) in pairs {
      name(key.rawValue, format)
      add(value, format)
    }
    if format == .json { bytes.append(UInt8(ascii: "}")) }
    bytes.append(UInt8(ascii: "\n"))
  }

  private mutating func name(_ name: String, _ format: LogFormat, isFirst: Bool = false) {
    switch format {
    case .json:
      if !isFirst { bytes.append(UInt8(ascii: ",")) }
      bytes.append(UInt8(ascii: "\""))
      bytes += name.utf8
      bytes += [UInt8(ascii: "\""), UInt8(ascii: ":")]
    case .logfmt:
      if !isFirst { bytes.append(UInt8(ascii: " ")) }
      bytes += name.utf8
      bytes.append(UInt8(ascii: "="))
    }
  }

  private mutating func stamp(_ time: Int64, _ format: LogFormat) {
    if format == .json { bytes.append(UInt8(ascii: "\"")) }
    Timestamp.append(milliseconds: time, to: &bytes)
    if format == .json { bytes.append(UInt8(ascii: "\"")) }
  }

  private mutating func add(_ value: LogValue, _ format: LogFormat) {
    switch value {
    case .text(let value): text(value, format)
    case .number(let value): bytes += String(value).utf8
    case .flag(let value): bytes += (value ? "true" : "false").utf8
    case .decimal(let value): bytes += (value.isFinite ? value.description : "null").utf8
    }
  }

  private mutating func text(_ value: String, _ format: LogFormat) {
    if format == .logfmt, value.utf8.count <= Self.longestValue, isBareWord(value) {
      bytes += value.utf8
    } else {
      quoted(value)
    }
  }

  private func isBareWord(_ value: String) -> Bool {
    !value.isEmpty
      && value.utf8.allSatisfy {
        $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "=")
          && $0 != UInt8(ascii: "\\")
      }
  }

  /// In JSON's quotes. What could end a line, move a terminal's cursor or turn the direction of
  /// the text around is escaped, so that foreign text cannot forge a record.
  private mutating func quoted(_ value: String) {
    bytes.append(UInt8(ascii: "\""))
    var left = Self.longestValue
    for scalar in value.unicodeScalars {
      left -= UTF8.width(scalar)
      guard left >= 0 else {
        bytes += "…".utf8
        break
      }
      append(scalar)
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func append(_ scalar: Unicode.Scalar) {
    switch scalar.value {
    case 0x22, 0x5C: bytes += [UInt8(ascii: "\\"), UInt8(scalar.value)]
    case 0x0A: bytes += "\\n".utf8
    case 0..<0x20, 0x7F...0x9F, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069:
      let hex = String(scalar.value, radix: 16)
      bytes += "\\u".utf8
      bytes += repeatElement(UInt8(ascii: "0"), count: 4 - hex.utf8.count)
      bytes += hex.utf8
    case 0x20..<0x7F: bytes.append(UInt8(scalar.value))
    default: bytes += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
    }
  }
}
