/// A value beside a record's fixed message.
package enum LogValue: Sendable {
  case text(String)
  case number(Int64)
  case decimal(Double)
  case flag(Bool)
}

extension LogValue: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByFloatLiteral
{
  package init(stringLiteral value: String) { self = .text(value) }
  package init(integerLiteral value: Int64) { self = .number(value) }
  package init(booleanLiteral value: Bool) { self = .flag(value) }
  package init(floatLiteral value: Double) { self = .decimal(value) }
}

extension LogValue {
  package static func count(_ value: some BinaryInteger) -> LogValue {
    .number(Int64(clamping: value))
  }

  /// In seconds, to the microsecond.
  package static func seconds(_ value: Duration) -> LogValue {
    let micros = value.components.attoseconds / 1_000_000_000_000
    return .decimal(Double(value.components.seconds) + Double(micros) / 1_000_000)
  }

  /// A device token, shortened: the only way in which one may be logged.
  package static func token(_ token: String) -> LogValue { .text(redact(token: token)) }
}
