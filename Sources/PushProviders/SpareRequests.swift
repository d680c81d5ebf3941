internal import HTTP2

/// Requests that wait for their next use, filled with what all requests have in common.
///
/// As many exist as were ever under way at once; after that a send allocates none.
struct SpareRequests {
  private let common: HeaderBlock
  private let mark: HeaderBlock.Mark
  private var spare: [PoolRequest] = []

  /// - Parameter common: the fields of every request, pseudo headers first.
  init(common: HeaderBlock) {
    self.common = common
    mark = common.mark
  }

  mutating func take() -> PoolRequest { spare.popLast() ?? PoolRequest(common) }

  /// Takes one back that has ended.
  mutating func putBack(_ request: PoolRequest) {
    request.headers.cut(back: mark)
    request.body = []
    spare.append(request)
  }
}
