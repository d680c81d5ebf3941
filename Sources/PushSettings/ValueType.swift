/// Why a text is no value of its type.
enum ValueRefusal: Error {
  /// What is allowed stands in the type.
  case notAllowed
  /// The contract knows it, this version does not.
  case notYet
  case because(String)
}

/// What the reading of a value needs to know about its surroundings.
struct ReadContext: Sendable {
  /// File names are relative to it.
  var directory: String
  /// Says what is wrong with a Redis URL, for who can parse one; nil = nothing.
  var redisURLProblem: @Sendable (String) -> String?
}

/// A kind of value: how it is read, shown, hidden, and what is allowed, in words.
struct ValueType<T: Sendable>: Sendable {
  var allowed: String
  /// What of a text may be printed.
  var shown: @Sendable (String) -> String = { $0 }
  var parse: @Sendable (String, ReadContext) throws(ValueRefusal) -> T
  var text: @Sendable (T) -> String

  init(
    allowed: String, shown: @escaping @Sendable (String) -> String = { $0 },
    parse: @escaping @Sendable (String, ReadContext) throws(ValueRefusal) -> T,
    text: @escaping @Sendable (T) -> String
  ) {
    self.allowed = allowed
    self.shown = shown
    self.parse = parse
    self.text = text
  }

  init(
    allowed: String, read: @escaping @Sendable (String) -> T?,
    text: @escaping @Sendable (T) -> String
  ) {
    self.init(
      allowed: allowed,
      parse: { (value, _) throws(ValueRefusal) in
        guard let value = read(value) else { throw .notAllowed }
        return value
      }, text: text)
  }
}

extension ValueType where T == Bool {
  static var flag: ValueType {
    ValueType(
      allowed: "true or false", read: { ["true": true, "false": false][$0] },
      text: { $0 ? "true" : "false" })
  }
}

extension ValueType where T == Int {
  static func count(_ range: ClosedRange<Int>) -> ValueType {
    ValueType(
      allowed: "\(range.lowerBound) to \(range.upperBound)",
      read: { text in Int(text).flatMap { range.contains($0) ? $0 : nil } },
      text: { String($0) })
  }

  static func size(_ range: ClosedRange<Int>) -> ValueType {
    let (low, high) = (
      Quantity.text(bytes: range.lowerBound), Quantity.text(bytes: range.upperBound)
    )
    return ValueType(
      allowed: "\(low) to \(high), with the unit b, kb, mb or gb",
      read: { text in Quantity.size(text).flatMap { range.contains($0) ? $0 : nil } },
      text: { Quantity.text(bytes: $0) })
  }
}

extension ValueType where T == Settings.Workers {
  static func workers(_ range: ClosedRange<Int>) -> ValueType {
    ValueType(
      allowed: "\(range.lowerBound) to \(range.upperBound), or auto",
      read: { text in
        if text == "auto" { return .auto }
        return Int(text).flatMap { range.contains($0) ? .count($0) : nil }
      },
      text: { workers in
        switch workers {
        case .auto: "auto"
        case .count(let count): String(count)
        }
      })
  }
}

extension ValueType where T == Int64 {
  static func seconds(_ range: ClosedRange<Int64>) -> ValueType {
    ValueType(
      allowed: "\(range.lowerBound) to \(range.upperBound) (seconds)",
      read: { text in Int64(text).flatMap { range.contains($0) ? $0 : nil } },
      text: { String($0) })
  }
}

extension ValueType where T == Settings.Threads {
  static var threads: ValueType {
    ValueType(
      allowed: "1 to 256, or auto",
      read: { text in
        if text == "auto" { return .auto }
        return Int(text).flatMap { (1...256).contains($0) ? .count($0) : nil }
      },
      text: { threads in
        switch threads {
        case .auto: "auto"
        case .count(let count): String(count)
        }
      })
  }
}

extension ValueType where T == Duration {
  static func duration(_ range: ClosedRange<Duration>) -> ValueType {
    ValueType(
      allowed: allowedDurations(range),
      read: { text in Quantity.duration(text).flatMap { range.contains($0) ? $0 : nil } },
      text: { Quantity.text($0) })
  }
}

extension ValueType where T == Duration? {
  static func durationOrOff(_ range: ClosedRange<Duration>) -> ValueType {
    ValueType(
      allowed: allowedDurations(range) + ", or off",
      read: { text in
        if text == "off" { return .some(nil) }
        return Quantity.duration(text).flatMap { range.contains($0) ? .some($0) : nil }
      },
      text: { $0.map { Quantity.text($0) } ?? "off" })
  }
}

extension ValueType where T == DurationRange {
  static func durations(_ range: ClosedRange<Duration>) -> ValueType {
    ValueType(
      allowed: "[shortest, longest], each " + allowedDurations(range),
      read: { text in
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
          .map { Quantity.duration(String($0.drop { $0 == " " })) }
        guard parts.count == 2, let from = parts[0], let to = parts[1], from <= to,
          range.contains(from), range.contains(to)
        else { return nil }
        return DurationRange(from: from, to: to)
      },
      text: { "[\(Quantity.text($0.from)), \(Quantity.text($0.to))]" })
  }
}

extension ValueType where T: CaseIterable & RawRepresentable<String> {
  static var choice: ValueType {
    ValueType(
      allowed: T.allCases.map(\.rawValue).joined(separator: ", "), read: { T(rawValue: $0) },
      text: { $0.rawValue })
  }
}

private func allowedDurations(_ range: ClosedRange<Duration>) -> String {
  "\(Quantity.text(range.lowerBound)) to \(Quantity.text(range.upperBound)),"
    + " with the unit ms, s, m, h or d"
}
