package import PushModel
package import PushTelemetry

/// A certificate that ends one day.
package struct CredentialExpiry: Sendable, Equatable {
  package let key: CredentialKey
  package let file: String
  /// UNIX seconds.
  package let end: Int64
}

/// Warns 30, 7 and 1 days before the end of a certificate, and when it has come; once each.
package struct ExpiryWatch: Sendable {
  private static let day: Int64 = 86_400
  private static let steps: [Int64] = [30, 7, 1, 0]

  private var watched: [(expiry: CredentialExpiry, warnedAt: Int64)]

  package init(_ expiries: [CredentialExpiry]) {
    watched = expiries.map { ($0, .max) }
  }

  /// What is to be told now, with the days that are left.
  ///
  /// - Parameter now: UNIX seconds.
  package mutating func due(_ now: Int64) -> [(expiry: CredentialExpiry, days: Int64)] {
    var due: [(CredentialExpiry, Int64)] = []
    for index in watched.indices {
      let left = watched[index].expiry.end - now
      guard let step = Self.steps.last(where: { left <= $0 * Self.day }),
        step < watched[index].warnedAt
      else { continue }
      watched[index].warnedAt = step
      due.append((watched[index].expiry, max(0, left / Self.day)))
    }
    return due
  }

  /// Logs what is due.
  package mutating func warn(_ now: Int64, _ logger: Logger) {
    for (expiry, days) in due(now) {
      logger.log(
        days < 7 ? .error : .warning,
        expiry.end <= now ? "a certificate has expired" : "a certificate expires soon",
        [
          .app: .text(expiry.key.app), .environment: .text(expiry.key.environment.rawValue),
          .file: .text(expiry.file), .due: .text("in \(days) days"),
        ])
    }
  }
}
