internal import PushModel
package import PushWorker

// The header line of an internal item: `~1;id=..;a=..;c=..;t0=..;r=..;done=..` + line feed. A
// producer's JSON never begins with `~`.
extension ItemHeader {
  /// The line with its line feed.
  package var line: String {
    "~1;id=\(id);a=\(attempt);c=\(crashes);t0=\(firstTaken);r=\(replays);done=\(done.text)\n"
  }

  /// Splits an item; nil when it has no header of this version.
  package static func split(_ item: [UInt8]) -> (header: ItemHeader, bytes: [UInt8])? {
    guard item.first == UInt8(ascii: "~"), let end = item.firstIndex(of: 10) else { return nil }
    guard let header = ItemHeader(fields: item[..<end]) else { return nil }
    return (header, Array(item[(end + 1)...]))
  }

  private init?(fields line: ArraySlice<UInt8>) {
    var parts = line.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)[...]
    guard parts.count == 7, parts.popFirst()?.elementsEqual("~1".utf8) == true,
      let id = Self.value("id=", in: &parts),
      let attempt = Self.number("a=", in: &parts), let crashes = Self.number("c=", in: &parts),
      let firstTaken = Self.number("t0=", in: &parts), let replays = Self.number("r=", in: &parts),
      let done = Self.value("done=", in: &parts).flatMap({ TargetSet(text: $0[...]) })
    else { return nil }
    self.init(
      id: id, attempt: attempt, crashes: crashes, firstTaken: Int64(firstTaken), replays: replays,
      done: done)
  }

  private static func value(
    _ name: StaticString, in parts: inout ArraySlice<ArraySlice<UInt8>>
  ) -> String? {
    guard let part = parts.popFirst(), name.matches(part) else { return nil }
    return String(decoding: part.dropFirst(name.utf8CodeUnitCount), as: UTF8.self)
  }

  /// Digits only; nil for what does not fit.
  private static func number(
    _ name: StaticString, in parts: inout ArraySlice<ArraySlice<UInt8>>
  ) -> Int? {
    guard let part = parts.popFirst(), name.matches(part) else { return nil }
    var value = 0
    let digits = part.dropFirst(name.utf8CodeUnitCount)
    for digit in digits {
      guard (48...57).contains(digit) else { return nil }
      let (tens, over) = value.multipliedReportingOverflow(by: 10)
      let (sum, overToo) = tens.addingReportingOverflow(Int(digit - 48))
      if over || overToo { return nil }
      value = sum
    }
    return digits.isEmpty ? nil : value
  }
}

extension StaticString {
  fileprivate func matches(_ bytes: ArraySlice<UInt8>) -> Bool {
    withUTF8Buffer { name in
      unsafe bytes.count >= name.count && bytes.prefix(name.count).elementsEqual(name)
    }
  }
}
