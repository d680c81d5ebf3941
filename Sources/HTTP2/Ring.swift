/// First in, first out, in one array that grows as needed and is used again.
struct Ring<Element> {
  private var places: [Element?] = []
  private var head = 0
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  var first: Element? { isEmpty ? nil : places[head] }

  mutating func append(_ element: Element) {
    if count == places.count { grow() }
    places[(head + count) & (places.count - 1)] = element
    count += 1
  }

  /// Puts an element before all others.
  mutating func prepend(_ element: Element) {
    if count == places.count { grow() }
    head = (head + places.count - 1) & (places.count - 1)
    places[head] = element
    count += 1
  }

  mutating func popFirst() -> Element? {
    if isEmpty { return nil }
    let element = places[head].take()
    head = (head + 1) & (places.count - 1)
    count -= 1
    return element
  }

  private mutating func grow() {
    var larger: [Element?] = []
    larger.reserveCapacity(max(16, places.count * 2))
    for offset in 0..<count { larger.append(places[(head + offset) & (places.count - 1)]) }
    while larger.count < max(16, places.count * 2) { larger.append(nil) }
    (places, head) = (larger, 0)
  }
}
