/// Cuts a producer's event down to some of its targets, all else byte for byte (EVENTS.md 2).
///
/// Takes time by the targets wanted, not by all there are: a large event is cut hundreds of times.
struct Splicer {
  private let content: EventContent
  /// In order.
  private let wanted: [Int]
  private var out: [UInt8] = []

  /// The event with only these targets; nil stands for all.
  static func splice(_ content: EventContent, _ targets: [Int]?) -> [UInt8] {
    let root = content.tokens[0].range
    let whole = content.bytes.item[root]
    guard let targets, targets.count < content.targets.count else { return [UInt8](whole) }
    guard let first = content.targets.first, !first.isTopic else { return [UInt8](whole) }
    var splicer = Splicer(content: content, wanted: targets.sorted())
    if content.recipients[Int(first.recipient)].element >= 0 {
      splicer.recipients()
    } else {
      splicer.object(0, list: Int(content.recipients[0].devices), splicer.wanted[...])
    }
    return splicer.out
  }

  /// Bytes that every part of the event repeats: all that is no recipient or device, and what the
  /// largest recipient says beside its devices.
  static func sharedBytes(_ content: EventContent) -> Int {
    let root = content.tokens[0].range.count
    guard let first = content.recipients.first else { return root }
    if first.element < 0 {
      return first.devices < 0 ? root : root - content.tokens[Int(first.devices)].range.count
    }
    guard let list = content.member("recipients", of: 0) else { return root }
    var largest = 0
    for index in content.recipients.indices {
      let recipient = content.recipients[index]
      if recipient.devices < 0 { continue }
      let devices = content.tokens[Int(recipient.devices)].range.count
      largest = max(largest, content.tokens[Int(recipient.element)].range.count - devices)
    }
    return root - content.tokens[list].range.count + largest
  }

  private init(content: EventContent, wanted: [Int]) {
    self.content = content
    self.wanted = wanted
  }

  /// An object whose list of devices keeps the wanted ones only.
  private mutating func object(_ object: Int, list: Int, _ wanted: ArraySlice<Int>) {
    let outer = content.tokens[object].range
    let inner = content.tokens[list].range
    copy(outer.lowerBound..<inner.lowerBound)
    out.append(UInt8(ascii: "["))
    for (place, target) in wanted.enumerated() {
      if place > 0 { out.append(UInt8(ascii: ",")) }
      element(Int(content.targets[target].element))
    }
    out.append(UInt8(ascii: "]"))
    copy(inner.upperBound..<outer.upperBound)
  }

  private mutating func recipients() {
    guard let list = content.member("recipients", of: 0) else { return }
    let root = content.tokens[0].range
    let inner = content.tokens[list].range
    copy(root.lowerBound..<inner.lowerBound)
    out.append(UInt8(ascii: "["))
    var first = 0
    while first < wanted.count {
      if first > 0 { out.append(UInt8(ascii: ",")) }
      first = recipient(at: first)
    }
    out.append(UInt8(ascii: "]"))
    copy(inner.upperBound..<root.upperBound)
  }

  /// The recipient of the wanted target at a place; the place of the next recipient's first.
  private mutating func recipient(at first: Int) -> Int {
    let index = Int(content.targets[wanted[first]].recipient)
    let recipient = content.recipients[index]
    let own = targets(of: index)
    var end = first + 1
    while end < wanted.count, wanted[end] < own.upperBound { end += 1 }
    if recipient.devices < 0 || end - first == own.count {
      element(Int(recipient.element))
    } else {
      object(Int(recipient.element), list: Int(recipient.devices), wanted[first..<end])
    }
    return end
  }

  /// Targets stand in the order of their recipients.
  private func targets(of recipient: Int) -> Range<Int> {
    let first = lowerBound(recipient)
    return first..<lowerBound(recipient + 1)
  }

  private func lowerBound(_ recipient: Int) -> Int {
    var low = 0
    var high = content.targets.count
    while low < high {
      let middle = (low + high) / 2
      if Int(content.targets[middle].recipient) < recipient {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }

  /// A value as the producer wrote it, its quotes included.
  private mutating func element(_ token: Int) {
    let range = content.tokens[token].range
    let isString = content.tokens[token].kind == .string
    copy(isString ? range.lowerBound - 1..<range.upperBound + 1 : range)
  }

  private mutating func copy(_ range: Range<Int>) {
    out.append(contentsOf: content.bytes.item[range])
  }
}
