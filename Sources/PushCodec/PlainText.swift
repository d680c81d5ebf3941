/// Finds the first byte that is more than plain text, sixteen at a time.
enum PlainText {
  /// The first byte from `start` that is a quote, a backslash, a control character or part of a
  /// character beyond ASCII.
  @inline(__always)
  static func end(_ bytes: Span<UInt8>, from start: Int) -> Int {
    // Signed numbers: those from 0x80 on lie below the space too.
    end(bytes, from: start, beyondASCII: true) { $0 .< spaces }
  }

  /// The first byte from `start` that must be escaped in JSON.
  @inline(__always)
  static func endOfUnescaped(_ bytes: Span<UInt8>, from start: Int) -> Int {
    end(bytes, from: start, beyondASCII: false) {
      ($0 .< spaces) .& ($0 .>= SIMD16(repeating: 0))
    }
  }

  /// `isOther`: what ends the text beside quotes and backslashes.
  @inline(__always)
  private static func end(
    _ bytes: Span<UInt8>, from start: Int, beyondASCII: Bool,
    _ isOther: (SIMD16<Int8>) -> SIMDMask<SIMD16<Int8>>
  ) -> Int {
    var at = start
    let raw = unsafe bytes.bytes
    // Sixteen bytes from `at`, never below 0, are inside `bytes`; any bits are such a vector.
    while at &+ 16 <= bytes.count {
      let some = unsafe raw.unsafeLoadUnaligned(
        fromUncheckedByteOffset: at, as: SIMD16<Int8>.self)
      if let first = firstHit(isOther(some) .| (some .== quotes) .| (some .== slashes)) {
        return at &+ first
      }
      at &+= 16
    }
    return at == bytes.count ? at : tail(bytes, from: at, beyondASCII: beyondASCII)
  }

  // Vectors on both sides: compared with a single number they are taken apart lane by lane.
  private static var spaces: SIMD16<Int8> { SIMD16(repeating: 0x20) }
  private static var quotes: SIMD16<Int8> { SIMD16(repeating: 0x22) }
  private static var slashes: SIMD16<Int8> { SIMD16(repeating: 0x5C) }

  /// The place of the first lane that is set.
  @inline(__always)
  private static func firstHit(_ hits: SIMDMask<SIMD16<Int8>>) -> Int? {
    // A lane that is set has all its bits set, and the first lane is the lowest byte.
    let halves = unsafe unsafeBitCast(hits, to: SIMD2<UInt64>.self)
    if halves.x != 0 { return halves.x.trailingZeroBitCount &>> 3 }
    if halves.y != 0 { return 8 &+ halves.y.trailingZeroBitCount &>> 3 }
    return nil
  }

  @inline(never)
  private static func tail(_ bytes: Span<UInt8>, from start: Int, beyondASCII: Bool) -> Int {
    var at = start
    while at < bytes.count {
      let byte = bytes[at]
      if byte < 0x20 || byte == 0x22 || byte == 0x5C || beyondASCII && byte >= 0x80 { break }
      at &+= 1
    }
    return at
  }
}
