/// The wait a server asks for (RFC 9110 10.2.3).
package enum RetryAfter {
  /// No answer may silence a message for longer: it is asked again before its days are over.
  static let longest = Duration.seconds(86_400)

  /// Reads a header's value: seconds, or a date that is compared with `now` (UNIX milliseconds).
  /// Nil for anything else; never negative.
  package static func read(_ value: [UInt8], now: Int64) -> Duration? {
    let text = String(decoding: value.prefix(64), as: UTF8.self)
    if let seconds = Int64(text) {
      return seconds < 0 ? nil : min(.seconds(min(seconds, 86_400)), longest)
    }
    guard let date = HTTPDate.seconds(text) else { return nil }
    return min(max(.zero, .milliseconds(date * 1_000 - now)), longest)
  }

  /// Reads a protobuf duration such as `30s` or `1.5s`, as RetryInfo has it.
  package static func read(protobuf text: String) -> Duration? {
    guard text.hasSuffix("s"), let seconds = Double(text.dropLast()), seconds >= 0 else {
      return nil
    }
    return min(.milliseconds(Int64(min(seconds, 86_400) * 1_000)), longest)
  }
}

/// Dates of HTTP in their three forms (RFC 9110 5.6.7).
package enum HTTPDate {
  /// UNIX seconds; nil for what is no date.
  package static func seconds(_ text: String) -> Int64? {
    var month: Int64?
    var clock: [Int64]?
    var numbers: [Int64] = []  // the day before the year, in all three forms
    for part in text.split(whereSeparator: { $0 == " " || $0 == "," || $0 == "-" }) {
      if let index = months.firstIndex(of: String(part)) {
        month = Int64(index + 1)
      } else if part.contains(":") {
        clock = part.split(separator: ":").compactMap { Int64($0) }
      } else if let number = Int64(part) {
        numbers.append(number)
      }
    }
    guard let month, let clock, clock.count == 3, numbers.count == 2,
      (1...31).contains(numbers[0]), (0...9_999).contains(numbers[1]),
      (0...23).contains(clock[0]), (0...59).contains(clock[1]), (0...60).contains(clock[2])
    else { return nil }
    let days = dayNumber(year: fullYear(numbers[1]), month: month, day: numbers[0])
    return days * 86_400 + clock[0] * 3_600 + clock[1] * 60 + clock[2]
  }

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  private static func fullYear(_ year: Int64) -> Int64 {
    if year >= 100 { return year }
    return year < 70 ? year + 2_000 : year + 1_900
  }

  /// Days since 1970-01-01 by the calendar of eras of 400 years, which begin in March.
  private static func dayNumber(year: Int64, month: Int64, day: Int64) -> Int64 {
    let year = month <= 2 ? year - 1 : year
    let era = year / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }
}
