/// Cuts a producer's event down to some of its targets, all else byte for byte (EVENTS.md 2).
struct Splicer {
  private let content: EventContent
  private let wanted: Set<Int>
  private var out: [UInt8] = []

  /// The event with only these targets; nil stands for all.
  static func splice(_ content: EventContent, _ targets: [Int]?) -> [UInt8] {
    let root = content.tokens[0].range
    let whole = [UInt8](content.bytes.item[root])
    guard let targets, targets.count < content.targets.count else { return whole }
    var splicer = Splicer(content: content, wanted: Set(targets))
    guard let first = content.targets.first, !first.isTopic else { return whole }
    if content.recipients[Int(first.recipient)].element >= 0 {
      splicer.recipients()
    } else {
      splicer.object(0, list: Int(content.recipients[0].devices), recipient: 0)
    }
    return splicer.out
  }

  private init(content: EventContent, wanted: Set<Int>) {
    self.content = content
    self.wanted = wanted
  }

  /// An object whose list of devices keeps the wanted ones only.
  private mutating func object(_ object: Int, list: Int, recipient: Int) {
    let outer = content.tokens[object].range
    let inner = content.tokens[list].range
    copy(outer.lowerBound..<inner.lowerBound)
    out.append(UInt8(ascii: "["))
    var isFirst = true
    for target in targets(of: recipient) where wanted.contains(target) {
      if !isFirst { out.append(UInt8(ascii: ",")) }
      isFirst = false
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
    var isFirst = true
    for (index, recipient) in content.recipients.enumerated() {
      let own = targets(of: index)
      guard own.contains(where: wanted.contains) else { continue }
      if !isFirst { out.append(UInt8(ascii: ",")) }
      isFirst = false
      if recipient.devices < 0 || own.allSatisfy(wanted.contains) {
        element(Int(recipient.element))
      } else {
        object(Int(recipient.element), list: Int(recipient.devices), recipient: index)
      }
    }
    out.append(UInt8(ascii: "]"))
    copy(inner.upperBound..<root.upperBound)
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
