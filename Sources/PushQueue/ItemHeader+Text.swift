internal import PushModel
package import PushWorker

// The header line of an internal item: `~1;id=..;a=..;c=..;t0=..;r=..;done=..` + line feed, with
// `;p=..` before `done` when it was parked. A producer's JSON never begins with `~`.
extension ItemHeader {
  /// The line with its line feed.
  package var line: String {
    let parked = parked == 0 ? "" : ";p=\(parked)"
    return "~1;id=\(id);a=\(attempt);c=\(crashes);t0=\(firstTaken);r=\(replays)"
      + "\(parked);done=\(done.text)\n"
  }

  /// Splits an item; nil when it has no header of this version.
  package static func split(_ item: [UInt8]) -> (header: ItemHeader, bytes: [UInt8])? {
    guard item.first == UInt8(ascii: "~") else { return nil }
    var line = LineReader(bytes: item)
    guard line.skip("~1;id=") else { return nil }
    let id = line.text()
    guard line.skip(";a="), let attempt = line.number(),
      line.skip(";c="), let crashes = line.number(),
      line.skip(";t0="), let firstTaken = line.number(),
      line.skip(";r="), let replays = line.number(),
      let parked = line.parked(), line.skip(";done="), let done = line.targets(), line.skip("\n")
    else { return nil }
    var header = ItemHeader(
      id: .written(id), attempt: attempt, crashes: crashes, firstTaken: Int64(firstTaken),
      replays: replays,
      done: done)
    header.parked = parked
    return (header, Array(item[line.at...]))
  }
}

/// Reads a header line from left to right, without a String for each field.
private struct LineReader {
  let bytes: [UInt8]
  private(set) var at = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  /// Passes a fixed text; false when something else stands there.
  mutating func skip(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard count <= bytes.count - at else { return false }
    let start = at
    let isThere = text.withUTF8Buffer { text in
      for i in 0..<count where unsafe bytes[start + i] != text[i] { return false }
      return true
    }
    if isThere { at += count }
    return isThere
  }

  /// All up to the end of the field.
  mutating func text() -> String {
    let start = at
    while at < bytes.count, bytes[at] != UInt8(ascii: ";"), bytes[at] != 10 { at += 1 }
    return String(decoding: bytes[start..<at], as: UTF8.self)
  }

  /// Digits only; nil for what does not fit.
  mutating func number() -> Int? {
    let start = at
    var value = 0
    while at < bytes.count, bytes[at] &- 48 < 10 {
      let (tens, over) = value.multipliedReportingOverflow(by: 10)
      let (sum, overToo) = tens.addingReportingOverflow(Int(bytes[at] - 48))
      if over || overToo { return nil }
      value = sum
      at += 1
    }
    return at > start ? value : nil
  }

  /// 0 where the field is absent.
  mutating func parked() -> Int64? {
    guard skip(";p=") else { return 0 }
    let isNegative = skip("-")
    return number().map { Int64(isNegative ? -$0 : $0) }
  }

  /// Up to 64 targets are one word of hex digits; more are rare.
  mutating func targets() -> TargetSet? {
    let start = at
    var word: UInt64 = 0
    while at < bytes.count, at - start < 16, let digit = Self.hexValue(bytes[at]) {
      word = word << 4 | digit
      at += 1
    }
    if at > start, at < bytes.count, bytes[at] == 10 { return TargetSet(first: word) }
    at = start
    return TargetSet(text: text()[...])
  }

  private static func hexValue(_ byte: UInt8) -> UInt64? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(byte - UInt8(ascii: "a") + 10)
    default: nil
    }
  }
}
