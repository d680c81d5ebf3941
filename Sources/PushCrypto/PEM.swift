/// The text form of keys and certificates (RFC 7468), read with forgiveness.
///
/// Keys travel through environment variables, web forms and editors, which turn line breaks into
/// CR LF, spaces or the two characters `\n`, or drop them. The base64 inside is not touched by
/// that, so each block is found by its armour and wrapped anew.
enum PEM {
  struct Block {
    var label: [UInt8]
    /// The base64 without white space, or with its headers as written when it has any.
    var body: [UInt8]
    var hasHeaders: Bool
  }

  /// The blocks of a file with sound line breaks; empty when there is none.
  static func repaired(_ text: [UInt8]) -> [UInt8] {
    blocks(in: text).flatMap { write($0) }
  }

  static func write(_ block: Block) -> [UInt8] {
    var out = begin + block.label + dashes + [newline]
    if block.hasHeaders {
      out += block.body
    } else {
      for start in stride(from: 0, to: block.body.count, by: 64) {
        out += block.body[start..<min(start + 64, block.body.count)] + [newline]
      }
    }
    return out + end + block.label + dashes + [newline]
  }

  static func blocks(in text: [UInt8]) -> [Block] {
    let text = unescaped(text)
    var blocks: [Block] = []
    var rest = text[...]
    while let start = rest.firstRange(of: begin) {
      rest = rest[start.upperBound...]
      guard let labelEnd = rest.firstRange(of: dashes) else { break }
      let label = Array(rest[..<labelEnd.lowerBound])
      rest = rest[labelEnd.upperBound...]
      guard let finish = rest.firstRange(of: end + label + dashes) else { break }
      blocks.append(block(label, rest[..<finish.lowerBound]))
      rest = rest[finish.upperBound...]
    }
    return blocks
  }

  private static let begin = Array("-----BEGIN ".utf8)
  private static let end = Array("-----END ".utf8)
  private static let dashes = Array("-----".utf8)
  private static let newline: UInt8 = 0x0A

  private static func block(_ label: [UInt8], _ body: ArraySlice<UInt8>) -> Block {
    // `Proc-Type: 4,ENCRYPTED` and its like: base64 has no colon.
    guard body.contains(0x3A) else {
      return Block(label: label, body: body.filter { $0 > 0x20 }, hasHeaders: false)
    }
    var lines = Array(body.drop { $0 == newline })
    if lines.last != newline { lines.append(newline) }
    return Block(label: label, body: lines, hasHeaders: true)
  }

  /// Line feeds for CR, CR LF and for backslashes before `n` or `r`, escaped once or more.
  private static func unescaped(_ text: [UInt8]) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(text.count)
    var at = 0
    while at < text.count {
      switch text[at] {
      case 0x0D:
        if at + 1 == text.count || text[at + 1] != newline { out.append(newline) }
      case 0x5C:
        // No backslash belongs into a PEM file.
        if at + 1 < text.count, text[at + 1] == 0x6E || text[at + 1] == 0x72 {
          out.append(newline)
          at += 1
        }
      default: out.append(text[at])
      }
      at += 1
    }
    return out
  }
}
