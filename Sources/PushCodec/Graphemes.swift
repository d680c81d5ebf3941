/// Where a text may be cut so that no character a person sees is halved.
enum Graphemes {
  /// The last grapheme boundary at or before an offset of a UTF-8 text.
  static func boundary(_ text: borrowing Span<UInt8>, atOrBefore offset: Int) -> Int {
    if offset >= text.count { return text.count }
    if offset <= 0 { return 0 }
    // What follows matters up to one more scalar, what precedes without limit.
    var end = offset
    while end < text.count, UTF8Form.isContinuation(text[end]) { end += 1 }
    if end < text.count { end += max(1, UTF8Form.length(copy text, at: end)) }
    let head = unsafe text.extracting(0..<end).withUnsafeBufferPointer {
      unsafe String(decoding: $0, as: UTF8.self)
    }
    let raw = head.utf8.index(head.startIndex, offsetBy: offset)
    if raw == head.endIndex { return offset }
    // `index(before:)` of the next boundary is right at every offset; rounding down is not.
    let boundary = head.index(before: head.index(after: raw))
    return head.utf8.distance(from: head.startIndex, to: boundary)
  }
}
