internal import PushCodec
internal import PushModel

/// Takes any bytes for an item, does with them all that a worker may, and says what is wrong.
///
/// A first byte from 0x80 to 0xBF, which begins no text, chooses the rules (bits 0 to 1), the moment
/// (bits 2 to 3) and the targets a letter is about (bits 4 to 5). Without it an item is its own text.
package final class CodecProbe {
  private let codecs: [MessageCodec] = ProbeRules.allCases.map { $0.codec() }
  private let request = PushRequest()
  /// What became of the items, to see that a run gets past the first fault.
  package private(set) var events = 0
  package private(set) var bodies = 0

  /// UNIX milliseconds.
  private static let moments: [Int64] = [
    1_764_489_601_000, 1_764_489_600_000 - 86_400_000, 1_764_489_600_000 + 3_000_000, 0,
  ]

  /// One way of handling an item.
  struct Choice {
    var codec: MessageCodec
    var now: Int64
    var share: Int
  }

  package init() {}

  /// The first rule that the codec broke; nil when all is well.
  package func problem(with input: [UInt8]) -> String? {
    var item = input
    var options = 0
    if let first = input.first, (0x80..<0xC0).contains(first) {
      options = Int(first & 0x3F)
      item.removeFirst()
    }
    let choice = Choice(
      codec: codecs[options & 3], now: Self.moments[options >> 2 & 3], share: options >> 4 + 1)
    do throws(ProbeFault) {
      try examine(item, choice)
      return nil
    } catch {
      return error.what
    }
  }

  private func examine(_ item: [UInt8], _ choice: Choice) throws(ProbeFault) {
    let codec = choice.codec
    let decoded = codec.decode(
      item, queueID: "queue-1", firstTaken: choice.now, now: choice.now)
    switch decoded {
    case .malformed(let fault):
      if fault.detail.isEmpty { throw ProbeFault("a fault without detail") }
      let facts = LetterFacts(fault, takenAt: choice.now, deadAt: choice.now, worker: "w")
      let letter = codec.deadLetter(bytes: item, event: nil, targets: nil, facts: facts)
      try ProbeFault.checkJSON(letter, "letter of a malformed item")
    case .event(let event):
      events += 1
      for target in 0..<event.targetCount { try build(event, target, choice) }
      try checkLetters(event, choice)
      codec.recycle(event)
    }
  }

  private func build(
    _ event: DecodedEvent, _ target: Int, _ choice: Choice
  ) throws(ProbeFault) {
    switch choice.codec.build(event, target: target, now: choice.now, into: request) {
    case .built(let notes):
      bodies += 1
      if event.credential(of: target) == nil { throw ProbeFault("a faulty target was built") }
      try RequestCheck.check(request, notes)
      try checkFeedback(event, target, choice)
    case .failed(let reason, let detail):
      if detail.isEmpty { throw ProbeFault("\(reason.rawValue) without detail") }
    case .expired: break
    }
    _ = event.redactedToken(of: target)
  }

  private func checkFeedback(
    _ event: DecodedEvent, _ target: Int, _ choice: Choice
  ) throws(ProbeFault) {
    if event.target(target).isTopic { return }
    let facts = TokenFacts(
      reason: "Unregistered", observedAt: choice.now, isLiveActivity: target.isMultiple(of: 2))
    let record = choice.codec.invalidToken(event, target: target, facts: facts)
    try ProbeFault.checkJSON(record, "feedback record")
  }

  /// A letter about some of the targets is JSON, and its event means the same for them.
  private func checkLetters(_ event: DecodedEvent, _ choice: Choice) throws(ProbeFault) {
    let codec = choice.codec
    let wanted = (0..<event.targetCount).filter { $0 % choice.share == 0 }
    let facts = LetterFacts(
      reason: .rejected, detail: "said \"no\"", takenAt: choice.now, deadAt: choice.now,
      worker: "w")
    let letter = codec.deadLetter(
      bytes: event.bytes, event: event, targets: wanted, facts: facts)
    try ProbeFault.checkJSON(letter, "letter")
    let spliced = codec.splice(event, targets: wanted)
    let again = codec.decode(
      spliced, queueID: .written(event.id), firstTaken: choice.now, now: choice.now)
    guard case .event(let part) = again else {
      throw ProbeFault("a letter's event does not decode again: \(again)")
    }
    defer { codec.recycle(part) }
    if part.id != event.id { throw ProbeFault("a letter's event has another id") }
    guard part.targetCount == wanted.count else {
      throw ProbeFault("\(wanted.count) targets became \(part.targetCount) in a letter")
    }
    for (new, old) in wanted.enumerated() {
      if part.redactedToken(of: new) != event.redactedToken(of: old)
        || part.credential(of: new) != event.credential(of: old)
      {
        throw ProbeFault("target \(old) is another one in the letter")
      }
    }
  }
}
