/// A growing row of bytes that is written in many small steps.
///
/// An array asks before each of them whether it is its only owner, which was a sixth of the time of
/// building a message.
@safe struct ByteBuffer: ~Copyable, ByteSink {
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

  /// Where the next `more` bytes go; who writes them raises `count`.
  @inline(__always)
  private mutating func room(for more: Int) -> UnsafeMutablePointer<UInt8> {
    // Also for nothing at all there is memory behind the pointer.
    if count &+ more >= capacity { grow(for: more) }
    return unsafe base.unsafelyUnwrapped + count
  }

  @inline(__always)
  mutating func append(_ byte: UInt8) {
    // Room for one more was just made.
    unsafe room(for: 1).pointee = byte
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

  /// The UTF-8 of a text.
  mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { unsafe append($0) }
  }

  @inline(__always)
  private mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let start = bytes.baseAddress else { return }
    // Room for all of them is made, and what is copied lies elsewhere.
    unsafe Self.copy(start, to: room(for: bytes.count), bytes.count)
    count &+= bytes.count
  }

  /// Copies bytes; the short texts that messages are made of without a call.
  @inline(__always)
  private static func copy(
    _ from: UnsafePointer<UInt8>, to: UnsafeMutablePointer<UInt8>, _ size: Int
  ) {
    if size > 16 {
      unsafe to.update(from: from, count: size)
    } else if size >= 8 {
      unsafe copyEnds(UInt64.self, from, to, size)
    } else if size >= 4 {
      unsafe copyEnds(UInt32.self, from, to, size)
    } else {
      for at in 0..<size { unsafe to[at] = from[at] }
    }
  }

  /// The first word and the last one, which together are all bytes of one to two words.
  @inline(__always)
  private static func copyEnds<Word: FixedWidthInteger & BitwiseCopyable>(
    _ word: Word.Type, _ from: UnsafePointer<UInt8>, _ to: UnsafeMutablePointer<UInt8>, _ size: Int
  ) {
    let rest = size &- MemoryLayout<Word>.size
    let (source, target) = unsafe (UnsafeRawPointer(from), UnsafeMutableRawPointer(to))
    let head = unsafe source.loadUnaligned(as: word)
    let tail = unsafe source.loadUnaligned(fromByteOffset: rest, as: word)
    unsafe target.storeBytes(of: head, as: word)
    unsafe target.storeBytes(of: tail, toByteOffset: rest, as: word)
  }

  /// Appends a range of its own bytes again.
  mutating func repeatBytes(_ range: Range<Int>) {
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    if range.isEmpty { return }
    let end = unsafe room(for: range.count)
    // Not empty, so there is memory, and the range lies before its end.
    unsafe end.update(from: base.unsafelyUnwrapped + range.lowerBound, count: range.count)
    count &+= range.count
  }

  /// Forgets what follows the first bytes.
  @inline(__always)
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

  /// Lets go of memory that one large text needed.
  mutating func shrink(above limit: Int) {
    if capacity > limit { self = ByteBuffer() }
  }

  /// All bytes, to be read until the buffer is written to or goes away.
  var memory: UnsafeBufferPointer<UInt8> {
    @inline(__always) get { unsafe UnsafeBufferPointer(start: base, count: count) }
  }

  /// The bytes from a place on.
  @inline(__always)
  func withSpan<R>(from start: Int, _ body: (borrowing Span<UInt8>) -> R) -> R {
    precondition(start >= 0 && start <= count)
    guard let base = unsafe base else { return body(Span()) }
    // `start` and `count` bound what is written.
    return unsafe body(UnsafeBufferPointer(start: base + start, count: count &- start).span)
  }

  /// A copy of the bytes from a place on.
  func array(from start: Int = 0) -> [UInt8] {
    var out: [UInt8] = []
    withSpan(from: start) { out.append($0) }
    return out
  }

  @inline(never)
  private mutating func grow(for more: Int) {
    let wanted = max(count + more + 1, capacity * 2, 1_024)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: wanted)
    if let base = unsafe base {
      unsafe larger.update(from: base, count: count)
      unsafe base.deallocate()
    }
    unsafe base = larger
    capacity = wanted
  }
}

// Parts of JSON, each with one look at the room left.
extension ByteBuffer {
  /// `,"name":` of a name that needs no escape; the comma only behind another member.
  @inline(__always)
  mutating func append(key name: StaticString) {
    let size = name.utf8CodeUnitCount
    let comma = commaCount
    let end = unsafe room(for: size &+ 4)
    // Room for the comma, the quotes, the colon and the name was just made.
    unsafe end[0] = UInt8(ascii: ",")
    let text = unsafe end + comma
    unsafe text[0] = UInt8(ascii: "\"")
    name.withUTF8Buffer { name in
      if let start = name.baseAddress { unsafe (text + 1).update(from: start, count: size) }
    }
    unsafe text[size &+ 1] = UInt8(ascii: "\"")
    unsafe text[size &+ 2] = UInt8(ascii: ":")
    count &+= comma &+ size &+ 3
  }

  /// The same of bytes that need no escape.
  @inline(__always)
  mutating func append(key name: borrowing Span<UInt8>) {
    appendComma()
    append(quoted: name)
    append(UInt8(ascii: ":"))
  }

  /// Bytes that need no escape, between quotes.
  @inline(__always)
  mutating func append(quoted bytes: borrowing Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { bytes in
      let size = bytes.count
      let end = unsafe room(for: size &+ 2)
      // Room for the quotes and the bytes was just made, and what is copied lies elsewhere.
      unsafe end[0] = UInt8(ascii: "\"")
      if let start = bytes.baseAddress { unsafe Self.copy(start, to: end + 1, size) }
      unsafe end[size &+ 1] = UInt8(ascii: "\"")
      count &+= size &+ 2
    }
  }

  /// A comma, unless a container has just been opened.
  @inline(__always)
  mutating func appendComma() {
    let comma = commaCount
    // Room for one more is made, whether it counts or not.
    unsafe room(for: 1).pointee = UInt8(ascii: ",")
    count &+= comma
  }

  /// 0 behind `{` and `[`, which differ in one bit; else 1.
  private var commaCount: Int {
    @inline(__always) get { last | 0x20 == UInt8(ascii: "{") ? 0 : 1 }
  }
}
