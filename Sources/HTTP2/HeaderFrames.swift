/// Writes the HEADERS of requests with header blocks of our own.
///
/// nghttp2 keeps the session and makes the frame, from a request without fields: then its block
/// holds the dynamic table size updates that the peer's SETTINGS ask for, and nothing else. They
/// stay, since they must come first (RFC 7541 4.2), and our encoder goes with them.
struct HeaderFrames {
  /// Longer fields than this nghttp2 refuses to send, and most servers to take.
  static let longestBlock = 65_536
  /// What every peer takes in one frame (RFC 9113 4.2).
  private static let frameLimit = 16_384
  private static let headCount = 9
  private static let continuation: UInt8 = 9
  private static let endHeaders: UInt8 = 4

  private var encoder = HeaderEncoder()

  /// Appends `frame`, which nghttp2 made, with the fields of `block`.
  mutating func append(_ frame: Span<UInt8>, _ block: HeaderBlock, to output: inout [UInt8]) {
    let start = output.count
    if frame.count > Self.headCount {
      encoder.follow(sizeUpdates: frame.extracting(droppingFirst: Self.headCount))
    }
    output.append(addingCapacity: frame.count + HeaderEncoder.bound(block)) { output in
      output.append(bytes: frame)
      encoder.encode(block, to: &output)
    }
    let count = output.count - start - Self.headCount
    if count > Self.frameLimit { return Self.split(&output, from: start) }
    Self.setLength(count, of: start, in: &output)
  }

  private static func setLength(_ count: Int, of frame: Int, in output: inout [UInt8]) {
    output[frame] = UInt8(truncatingIfNeeded: count >> 16)
    output[frame + 1] = UInt8(truncatingIfNeeded: count >> 8)
    output[frame + 2] = UInt8(truncatingIfNeeded: count)
  }

  /// Makes one frame too long into HEADERS and CONTINUATION.
  private static func split(_ output: inout [UInt8], from start: Int) {
    var head = Array(output[start..<start + headCount])
    var rest = Array(output[(start + headCount)...])[...]
    output.removeLast(output.count - start)
    head[4] &= ~endHeaders
    while !rest.isEmpty {
      let part = rest.prefix(frameLimit)
      rest = rest.dropFirst(frameLimit)
      if rest.isEmpty { head[4] |= endHeaders }
      let frame = output.count
      output += head
      output += part
      setLength(part.count, of: frame, in: &output)
      (head[3], head[4]) = (continuation, 0)
    }
  }
}
