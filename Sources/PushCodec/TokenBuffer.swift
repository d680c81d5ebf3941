/// A growing row of tokens. An array would ask at each of them whether it is its only owner.
@safe struct TokenBuffer: ~Copyable {
  /// `capacity` tokens, of which the first `count` are written.
  private var base: UnsafeMutablePointer<JSONToken>
  private(set) var count = 0
  private var capacity = 256

  init() { unsafe base = .allocate(capacity: capacity) }

  deinit { unsafe base.deallocate() }

  @inline(__always)
  subscript(_ index: Int) -> JSONToken {
    get {
      precondition(index >= 0 && index < count)
      return unsafe base[index]
    }
    set {
      precondition(index >= 0 && index < count)
      unsafe base[index] = newValue
    }
  }

  @inline(__always)
  mutating func append(_ token: JSONToken) {
    if count == capacity { grow(to: capacity * 2) }
    // Room for one more was just made.
    unsafe base[count] = token
    count &+= 1
  }

  mutating func removeAll() { count = 0 }

  /// Lets go of memory that one large text needed.
  mutating func shrink(above limit: Int) {
    if capacity > limit { self = TokenBuffer() }
  }

  func copy(to tokens: inout [JSONToken]) {
    // `count` tokens are written.
    unsafe tokens.append(contentsOf: UnsafeBufferPointer(start: base, count: count))
  }

  private mutating func grow(to wanted: Int) {
    let larger = UnsafeMutablePointer<JSONToken>.allocate(capacity: wanted)
    unsafe larger.update(from: base, count: count)
    unsafe base.deallocate()
    unsafe base = larger
    capacity = wanted
  }
}
