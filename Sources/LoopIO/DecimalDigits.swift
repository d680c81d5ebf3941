/// A number in decimal without a String of its own: what every request and settlement writes.
package struct DecimalDigits {
  private var digits: InlineArray<20, UInt8> = .init(repeating: 0)
  private var start = 20

  package init(_ value: Int64) {
    var rest = value.magnitude
    while rest >= 100 {
      let pair = UInt8(rest % 100)
      rest /= 100
      start -= 2
      digits[start] = UInt8(ascii: "0") + pair / 10
      digits[start + 1] = UInt8(ascii: "0") + pair % 10
    }
    repeat {
      start -= 1
      digits[start] = UInt8(ascii: "0") + UInt8(rest % 10)
      rest /= 10
    } while rest > 0
    if value < 0 {
      start -= 1
      digits[start] = UInt8(ascii: "-")
    }
  }

  /// Bytes, a minus sign among them.
  package var count: Int { 20 - start }

  package func write(to output: inout [UInt8]) {
    output.append(addingCapacity: count) { write(to: &$0) }
  }

  /// Needs room for `count` bytes.
  package func write(to output: inout OutputSpan<UInt8>) {
    for index in start..<20 { output.append(digits[index]) }
  }
}
