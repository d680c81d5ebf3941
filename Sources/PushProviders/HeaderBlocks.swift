internal import HTTP2

/// Header blocks that wait for their next request, filled with what all requests have in common.
///
/// As many exist as requests were ever under way at once; after that a send allocates none.
struct HeaderBlocks {
  private let filled: HeaderBlock
  private let mark: HeaderBlock.Mark
  private var spare: [HeaderBlock] = []

  /// - Parameter common: the fields of every request, pseudo headers first.
  init(common: HeaderBlock) {
    filled = common
    mark = common.mark
  }

  mutating func take() -> HeaderBlock { spare.popLast() ?? filled }

  /// Takes one back; no request may hold it any more.
  mutating func putBack(_ block: consuming HeaderBlock) {
    block.cut(back: mark)
    spare.append(block)
  }
}
