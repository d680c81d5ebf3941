internal import PushQueue
internal import PushWorker

/// How many letters to read at once: few at first, more while they are small, so that one answer
/// of Redis stays near a megabyte.
struct LetterPages {
  private(set) var size = 8
  private static let most = 100
  private static let bytes = 1_048_576

  mutating func note(_ page: [[UInt8]]) {
    let bytes = page.reduce(0) { $0 + $1.count }
    if bytes < Self.bytes / 4 {
      size = min(Self.most, size * 4)
    } else if bytes > Self.bytes {
      size = max(1, size / 4)
    }
  }
}

extension DeadLetter {
  /// Tells letters apart that have one id; 64-bit FNV-1a of the bytes.
  var fingerprint: String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return String(hash, radix: 16)
  }
}

extension QueueInspector {
  /// Looks at letters from the newest below position `end` on, at most `budget` of them, until
  /// `body` says false; the position from which on the rest is to be looked at.
  func scanNewest(
    below end: Int, budget: Int, _ body: (DeadLetter, Int) -> Bool
  ) async throws(QueueError) -> Int {
    var (end, left) = (end, budget)
    var pages = LetterPages()
    while end > 0, left > 0 {
      let size = min(pages.size, end, left)
      let start = end - size
      let page = try await deadLetters(from: start, count: size)
      pages.note(page)
      left -= size
      // Others may have taken letters meanwhile.
      end = start + page.count
      while end > start {
        end -= 1
        if !body(DeadLetter(page[end - start]), end) { return end }
      }
    }
    return end
  }

  /// The letter that was seen at a position: letters in front of it may have gone since.
  func find(_ fingerprint: String, near position: Int) async throws(QueueError) -> DeadLetter? {
    var found: DeadLetter?
    _ = try await scanNewest(below: position + 1, budget: 2_000) { letter, _ in
      if letter.fingerprint == fingerprint { found = letter }
      return found == nil
    }
    return found
  }
}
