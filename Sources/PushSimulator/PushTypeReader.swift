import HTTP2
import PushModel

/// Finds the push type of a header value without making a String of it.
enum PushTypeReader {
  static func read(_ value: Range<Int>, in stream: ServerStream) -> PushType? {
    let text = stream.text[value]
    for (bytes, type) in all where Bytes.areEqual(text, bytes) { return type }
    return nil
  }

  private static let all = PushType.allCases.map { (Array($0.rawValue.utf8), $0) }
}
