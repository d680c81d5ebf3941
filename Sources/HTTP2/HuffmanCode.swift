/// HPACK's Huffman code (RFC 7541 5.2 and appendix B), for what is written once and sent often.
///
/// The code is canonical: among codes of one length the symbols ascend, and each length goes on
/// where the shorter ones end. So the symbols by length say all of it.
enum HuffmanCode {
  private struct Code {
    var bits: UInt16 = 0
    /// 0: none here.
    var count: UInt8 = 0
  }

  /// The rest takes 19 bits and more, which no text is worth that stands in a header field.
  private static let symbols: [(count: UInt8, text: StaticString)] = [
    (5, "012aceiost"), (6, " %-./3456789=A_bdfghlmnpru"),
    (7, ":BCDEFGHIJKLMNOPQRSTUVWYjkqvwxyz"), (8, "&*,;XZ"), (10, "!\"()?"), (11, "'+|"), (12, "#>"),
    (13, "\0$@[]~"), (14, "^}"), (15, "<`{"),
  ]

  private static let codes: [Code] = {
    var codes = [Code](repeating: Code(), count: 256)
    var (next, length): (UInt16, UInt8) = (0, 5)
    for (count, text) in symbols {
      next <<= UInt16(count - length)
      length = count
      text.withUTF8Buffer { text in
        for index in text.indices {
          codes[Int(unsafe text[index])] = Code(bits: next, count: count)
          next += 1
        }
      }
    }
    return codes
  }()

  /// The text in the code; nil when it would not be shorter.
  static func encode(_ text: Span<UInt8>) -> [UInt8]? {
    var coded: [UInt8] = []
    var (bits, pending): (UInt32, UInt8) = (0, 0)
    for index in text.indices {
      let code = codes[Int(text[index])]
      if code.count == 0 { return nil }
      bits = bits << UInt32(code.count) | UInt32(code.bits)
      pending += code.count
      while pending >= 8 {
        pending -= 8
        coded.append(UInt8(truncatingIfNeeded: bits >> UInt32(pending)))
      }
    }
    // The last byte is filled up with ones, the beginning of EOS.
    if pending > 0 {
      let room = 8 - UInt32(pending)
      coded.append(UInt8(truncatingIfNeeded: bits << room | (1 << room - 1)))
    }
    return coded.count < text.count ? coded : nil
  }
}
