/// A value for `--json`.
indirect enum JSONValue {
  case text(String)
  case number(Int)
  case decimal(Double)
  case flag(Bool)
  case null
  case list([JSONValue])
  case object([(String, JSONValue)])
  /// JSON that exists already, such as a record of a list.
  case raw([UInt8])

  /// nil becomes null.
  static func optional(_ text: String?) -> JSONValue { text.map { .text($0) } ?? .null }

  var encoded: String {
    var bytes: [UInt8] = []
    write(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  private func write(to bytes: inout [UInt8]) {
    switch self {
    case .text(let text): Self.quote(text, &bytes)
    case .number(let number): bytes += String(number).utf8
    case .decimal(let number): bytes += (number.isFinite ? number.description : "null").utf8
    case .flag(let flag): bytes += (flag ? "true" : "false").utf8
    case .null: bytes += "null".utf8
    case .raw(let raw): bytes += raw
    case .list(let items):
      bytes.append(UInt8(ascii: "["))
      for (number, item) in items.enumerated() {
        if number > 0 { bytes.append(UInt8(ascii: ",")) }
        item.write(to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      for (number, member) in members.enumerated() {
        if number > 0 { bytes.append(UInt8(ascii: ",")) }
        Self.quote(member.0, &bytes)
        bytes.append(UInt8(ascii: ":"))
        member.1.write(to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }

  private static func quote(_ text: String, _ bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case 0..<0x20:
        bytes += "\\u00".utf8
        bytes += (byte < 16 ? "0" : "").utf8
        bytes += String(byte, radix: 16).utf8
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
