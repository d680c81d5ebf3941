/// ISO 8601 in UTC without Foundation.
package enum Timestamp {
  /// UNIX milliseconds as `2026-11-30T10:58:37.123Z`.
  package static func text(milliseconds: Int64) -> String {
    var bytes: [UInt8] = []
    append(milliseconds: milliseconds, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  static func append(milliseconds: Int64, to bytes: inout [UInt8]) {
    let (days, inDay) = floorDivided(milliseconds, by: 86_400_000)
    let date = civil(days)
    digits(date.year, 4, &bytes)
    bytes.append(UInt8(ascii: "-"))
    digits(date.month, 2, &bytes)
    bytes.append(UInt8(ascii: "-"))
    digits(date.day, 2, &bytes)
    bytes.append(UInt8(ascii: "T"))
    digits(inDay / 3_600_000, 2, &bytes)
    bytes.append(UInt8(ascii: ":"))
    digits(inDay / 60_000 % 60, 2, &bytes)
    bytes.append(UInt8(ascii: ":"))
    digits(inDay / 1_000 % 60, 2, &bytes)
    bytes.append(UInt8(ascii: "."))
    digits(inDay % 1_000, 3, &bytes)
    bytes.append(UInt8(ascii: "Z"))
  }

  /// Year, month and day of a count of days since 1970: years begin in March here, so that the
  /// leap day is the last of its year and eras of 400 years are alike.
  private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = floorDivided(days + 719_468, by: 146_097)
    let yearOfEra =
      (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }

  private static func floorDivided(_ value: Int64, by divisor: Int64) -> (Int64, Int64) {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }

  private static func digits(_ value: Int64, _ width: Int, _ bytes: inout [UInt8]) {
    var place: Int64 = 1
    for _ in 1..<width { place *= 10 }
    while place > 0 {
      bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / place % 10))
      place /= 10
    }
  }
}
