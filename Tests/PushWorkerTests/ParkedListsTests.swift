import PushModel
import Testing

@testable import PushWorker

@Suite struct ParkedListsTests {
  private static let keys = [
    CredentialKey(app: "a", provider: .apns), CredentialKey(app: "a", provider: .fcm),
  ]
  private static let second: Int64 = 1_000_000_000

  @Test func `all are looked at once a second, and not more often while they are empty`() {
    var lists = ParkedLists(Self.keys)
    let first = lists.order(now: 5 * Self.second, most: 10) { _ in 10 }
    #expect(first.map(\.most) == [0, 0])
    lists.note(lengths: [0, 0])
    #expect(lists.order(now: 5 * Self.second + 1, most: 10) { _ in 10 }.isEmpty)
    #expect(lists.order(now: 7 * Self.second, most: 10) { _ in 10 }.count == 2)
  }

  @Test func `what is drawn fits the credential's room`() {
    var lists = ParkedLists(Self.keys)
    _ = lists.order(now: 5 * Self.second, most: 10) { _ in 10 }
    lists.note(lengths: [100, 7])
    #expect(lists.length == 107)
    let order = lists.order(now: 5 * Self.second + 1, most: 10) { $0 == 0 ? 20 : 3 }
    #expect(order.map(\.most) == [10, 3])
    lists.note(lengths: [90, 4])
    let blocked = lists.order(now: 5 * Self.second + 2, most: 10) { $0 == 0 ? 0 : 3 }
    #expect(blocked.map(\.credential) == [Self.keys[1]])
  }

  @Test func `what this shard parks is known at once`() {
    var lists = ParkedLists(Self.keys)
    _ = lists.order(now: 5 * Self.second, most: 10) { _ in 10 }
    lists.note(lengths: [0, 0])
    #expect(!lists.isDrawable { _ in 1 })
    lists.notePut(1)
    #expect(lists.isDrawable { _ in 1 } && !lists.isDrawable { $0 == 1 ? 0 : 1 })
    #expect(lists.order(now: 5 * Self.second + 1, most: 10) { _ in 1 }.map(\.most) == [1])
  }
}
