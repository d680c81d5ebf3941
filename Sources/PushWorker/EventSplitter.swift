import PushCodec
import PushModel

/// Cuts what is left of a large event into chunks, one step after the other, in the order of its
/// targets: all steps together walk once over it.
struct EventSplitter {
  /// Events with more open targets than this are split.
  static let largest = 500
  /// Targets of a chunk.
  static let chunk = 250
  /// Chunks and bytes of one step: its script holds up all of Redis.
  static let mostChunks = 24
  static let mostBytes = 1_048_576

  private let item: QueueItem
  private let event: DecodedEvent
  private let size: Int
  private var next = 0
  private(set) var done: TargetSet

  /// Targets of a chunk: what all chunks repeat shall not outweigh their targets.
  static func chunkSize(of event: DecodedEvent, _ codec: MessageCodec) -> Int {
    let shared = codec.sharedBytes(event)
    let each = max(1, (event.bytes.count - shared) / max(1, event.targetCount))
    return max(chunk, shared / each)
  }

  /// Whether an event with so many open targets is to be split into chunks of this size.
  static func isLarge(_ open: Int, chunkSize: Int) -> Bool {
    open > max(largest, 2 * chunkSize)
  }

  init(_ item: QueueItem, _ event: DecodedEvent, done: TargetSet, size: Int) {
    self.item = item
    self.event = event
    self.done = done
    self.size = size
  }

  /// The next chunks; nil when no target is left.
  mutating func nextStep(_ codec: MessageCodec) -> SplitStep? {
    var chunks: [SplitStep.Chunk] = []
    var bytes = 0
    while chunks.count < Self.mostChunks, bytes < Self.mostBytes {
      let targets = nextTargets()
      if targets.isEmpty { break }
      let piece = codec.splice(event, targets: targets)
      bytes += piece.count
      chunks.append(SplitStep.Chunk(header, piece))
    }
    if chunks.isEmpty { return nil }
    skipDone()
    return SplitStep(item.receipt, chunks, done: done, isLast: next == event.targetCount)
  }

  private mutating func nextTargets() -> [Int] {
    var targets: [Int] = []
    targets.reserveCapacity(size)
    skipDone()
    while targets.count < size, next < event.targetCount {
      targets.append(next)
      done.insert(next)
      skipDone()
    }
    return targets
  }

  private mutating func skipDone() {
    while next < event.targetCount, done.contains(next) { next += 1 }
  }

  /// Every chunk is the event again, with some of its targets.
  private var header: ItemHeader {
    var header = item.header
    header.crashes = 0
    header.done = TargetSet()
    return header
  }
}
