/// A growing row of bytes that is written in many small steps.
///
/// An array asks before each of them whether it is its only owner, which was a sixth of the time of
/// building a message.
@safe struct ByteBuffer: ~Copyable {
  /// `capacity` bytes, of which the first `count` are written.
  private var base: UnsafeMutablePointer<UInt8>?
  private(set) var count = 0
  private var capacity = 0

  init() {}

  deinit { unsafe base?.deallocate() }

  /// Only of a buffer that is not empty.
  var last: UInt8 {
    @inline(__always) get {
      precondition(count > 0)
      return unsafe base.unsafelyUnwrapped[count &- 1]
    }
  }

  @inline(__always)
  mutating func append(_ byte: UInt8) {
    if count == capacity { grow(for: 1) }
    // Room for one more was just made.
    unsafe base.unsafelyUnwrapped[count] = byte
    count &+= 1
  }

  @inline(__always)
  mutating func append(_ bytes: borrowing Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { unsafe append($0) }
  }

  mutating func append(_ bytes: [UInt8]) { append(bytes.span) }

  @inline(__always)
  mutating func append(_ text: StaticString) {
    text.withUTF8Buffer { unsafe append($0) }
  }

  @inline(__always)
  private mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let start = bytes.baseAddress else { return }
    if count &+ bytes.count > capacity { grow(for: bytes.count) }
    // Room for all of them was just made, and what is copied lies elsewhere.
    unsafe (base.unsafelyUnwrapped + count).update(from: start, count: bytes.count)
    count &+= bytes.count
  }

  /// Forgets what follows the first bytes.
  mutating func truncate(to length: Int) {
    precondition(length >= 0 && length <= count)
    count = length
  }

  /// Reverses the bytes from a place on.
  mutating func reverse(from start: Int) {
    var low = start
    var high = count - 1
    precondition(low >= 0)
    while low < high {
      unsafe swap(&base.unsafelyUnwrapped[low], &base.unsafelyUnwrapped[high])
      low += 1
      high -= 1
    }
  }

  /// A copy of the bytes from a place on.
  func array(from start: Int = 0) -> [UInt8] {
    var out: [UInt8] = []
    copy(from: start, to: &out)
    return out
  }

  /// Appends the bytes from a place on to an array.
  func copy(from start: Int = 0, to out: inout [UInt8]) {
    precondition(start >= 0 && start <= count)
    guard let base = unsafe base else { return }
    // `start` and `count` bound what is written.
    unsafe out.append(
      contentsOf: UnsafeBufferPointer(start: base + start, count: count - start))
  }

  private mutating func grow(for more: Int) {
    let wanted = max(count + more, capacity * 2, 1_024)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: wanted)
    if let base = unsafe base {
      unsafe larger.update(from: base, count: count)
      unsafe base.deallocate()
    }
    unsafe base = larger
    capacity = wanted
  }
}
