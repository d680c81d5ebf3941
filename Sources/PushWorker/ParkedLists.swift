import PushModel

/// What a list knows of its parked lists: one for each credential, in which targets wait unspent
/// while the credential is paused or broken, or has no room for them.
struct ParkedLists {
  private let credentials: [CredentialKey]
  /// Items in each when last heard of, and what this shard has put there since.
  private var lengths: [Int]
  /// Items in all of them.
  private(set) var length = 0
  private var lastLook = Int64.min
  private var asked: [Int] = []

  /// How old what is known of the lengths may be, in nanoseconds: others put items there too.
  private static let freshness: Int64 = 1_000_000_000

  /// `credentials` in the order in which the dispatcher counts them.
  init(_ credentials: [CredentialKey]) {
    self.credentials = credentials
    lengths = Array(repeating: 0, count: credentials.count)
  }

  func length(of group: Int) -> Int { lengths[group] }

  /// What a take asks of them; empty, at no cost, while none has anything and all were looked at
  /// lately.
  /// - Parameters:
  ///   - most: items of one list, so that fresh events come along with them.
  ///   - room: targets that a credential could soon begin.
  mutating func order(now: Int64, most: Int, room: (Int) -> Int) -> [TakeOrder.Parked] {
    asked.removeAll(keepingCapacity: true)
    let isLook = lastLook < now - Self.freshness
    if !isLook, length == 0 { return [] }
    var order: [TakeOrder.Parked] = []
    for (group, credential) in credentials.enumerated() {
      let wanted = lengths[group] > 0 ? min(most, room(group)) : 0
      if wanted == 0, !isLook { continue }
      order.append(TakeOrder.Parked(credential, most: wanted))
      asked.append(group)
    }
    if isLook { lastLook = now }
    return order
  }

  /// Something waits that could soon begin.
  func isDrawable(room: (Int) -> Int) -> Bool {
    length > 0 && lengths.indices.contains { lengths[$0] > 0 && room($0) > 0 }
  }

  /// The lengths that came with the answer to the last order, before its items are looked at.
  mutating func note(lengths new: [Int]) {
    guard new.count == asked.count else { return }
    for (group, length) in zip(asked, new) { set(group, length) }
  }

  /// A target was put into the list of its credential.
  mutating func notePut(_ group: Int) { set(group, lengths[group] + 1) }

  private mutating func set(_ group: Int, _ new: Int) {
    length += new - lengths[group]
    lengths[group] = new
  }
}
