import PushModel
import Testing

@testable import PushProviders

@Suite struct ExpiryWatchTests {
  private static let day: Int64 = 86_400
  private let end = 1_000 * day

  private func expiry(_ app: String) -> CredentialExpiry {
    CredentialExpiry(key: CredentialKey(app: app, provider: .apns), file: "push.p12", end: end)
  }

  @Test func `it warns once at 30, 7 and 1 days, and at the end`() {
    var watch = ExpiryWatch([expiry("chat")])
    var warnings: [Int64] = []
    for hour in 0..<60 * 24 {
      let now = end - 50 * Self.day + Int64(hour) * 3_600
      for _ in watch.due(now) { warnings.append((end - now) / Self.day) }
    }
    #expect(warnings == [30, 7, 1, 0])
  }

  @Test func `a start shortly before the end warns at once, and once`() {
    var watch = ExpiryWatch([expiry("chat"), expiry("work")])
    let due = watch.due(end - 5 * Self.day)
    #expect(due.map(\.expiry.key.app) == ["chat", "work"])
    #expect(due.map(\.days) == [5, 5])
    #expect(watch.due(end - 5 * Self.day + 3_600).isEmpty)
  }
}
