/// One value or object key of a JSON text, as a place in its bytes.
///
/// The tokens of a text stand one after the other in reading order, so a text costs one array and
/// no object per value. The tokens of an object alternate between key and value.
package struct JSONToken: Sendable, BitwiseCopyable {
  package enum Kind: UInt8, Sendable, BitwiseCopyable {
    case object, array, string, number, yes, no, null
  }

  package var kind: Kind
  /// A string with at least one backslash.
  package var hasEscapes = false
  /// A string with a lone surrogate or with bytes that are not UTF-8.
  package var isBroken = false
  /// A number of digits alone, without fraction and exponent.
  var isWhole = false
  /// First byte; of a string the one after its quote.
  package var start: Int32
  /// One past the last byte; of a string its closing quote.
  package var end: Int32
  /// The token after this value and all it holds.
  package var next: Int32

  var range: Range<Int> { Int(start)..<Int(end) }
  var count: Int { Int(end - start) }
  var isBool: Bool { kind == .yes || kind == .no }
}

/// Why a text is not JSON, or is more than we take.
package enum JSONFault: Error, Equatable {
  case malformed(at: Int, StaticReason)
  case tooDeep(at: Int)
  case numberTooLong(at: Int)

  package enum StaticReason: String, Sendable {
    case unexpectedEnd = "unexpected end"
    case unexpectedByte = "unexpected byte"
    case badNumber = "malformed number"
    case badEscape = "malformed escape"
    case controlCharacter = "control character in a string"
    case trailingBytes = "bytes after the value"
  }

  /// For a dead letter: names the place, shows none of the bytes.
  package var detail: String {
    switch self {
    case .malformed(let at, let reason): "\(reason.rawValue) at byte \(at)"
    case .tooDeep(let at): "nested too deep at byte \(at)"
    case .numberTooLong(let at): "number too long at byte \(at)"
    }
  }
}
