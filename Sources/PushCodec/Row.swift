/// A growing row of plain values that keeps its memory. An array would ask at each step whether it
/// is its only owner.
@safe struct Row<Element: BitwiseCopyable>: ~Copyable {
  /// `capacity` elements, of which the first `count` are written.
  private var base: UnsafeMutablePointer<Element>
  private(set) var count = 0
  private var capacity: Int

  init(capacity: Int) {
    precondition(capacity > 0)
    self.capacity = capacity
    unsafe base = .allocate(capacity: capacity)
  }

  deinit { unsafe base.deallocate() }

  var isEmpty: Bool { count == 0 }
  var indices: Range<Int> { 0..<count }
  var first: Element? { isEmpty ? nil : self[0] }

  @inline(__always)
  subscript(_ index: Int) -> Element {
    get {
      // One comparison for both ends.
      precondition(UInt(bitPattern: index) < UInt(bitPattern: count))
      return unsafe base[index]
    }
    set {
      precondition(UInt(bitPattern: index) < UInt(bitPattern: count))
      unsafe base[index] = newValue
    }
  }

  @inline(__always)
  mutating func append(_ element: Element) {
    if count == capacity { grow() }
    // Room for one more was just made.
    unsafe base[count] = element
    count &+= 1
  }

  @inline(__always)
  mutating func removeAll() { count = 0 }

  mutating func removeAll(where isUnwanted: (Element) -> Bool) {
    var kept = 0
    for index in 0..<count where !isUnwanted(self[index]) {
      self[kept] = self[index]
      kept += 1
    }
    count = kept
  }

  /// Lets go of memory that one large text needed.
  mutating func shrink(above limit: Int, to capacity: Int) {
    if self.capacity > limit { self = Row(capacity: capacity) }
  }

  @inline(__always)
  func withSpan<R>(_ body: (borrowing Span<Element>) -> R) -> R {
    // `count` elements are written.
    unsafe body(UnsafeBufferPointer(start: base, count: count).span)
  }

  func copy(to out: inout [Element]) {
    // `count` elements are written.
    unsafe out.append(contentsOf: UnsafeBufferPointer(start: base, count: count))
  }

  func array() -> [Element] {
    var out: [Element] = []
    copy(to: &out)
    return out
  }

  @inline(never)
  private mutating func grow() {
    let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity * 2)
    unsafe larger.update(from: base, count: count)
    unsafe base.deallocate()
    unsafe base = larger
    capacity *= 2
  }
}
