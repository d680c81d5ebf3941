/// Requests that wait for a place on a connection: the lower precedence first, and first come
/// first served among equals.
struct WaitingRequests {
  /// Higher precedences share the last line.
  private static let lineCount = 4

  private var lines = [Ring<PoolRequest>](repeating: Ring(), count: lineCount)
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  /// Since when the one waits that has waited longest; `.max` when none does.
  var oldest: Int64 {
    var oldest = Int64.max
    for line in lines { if let first = line.first { oldest = min(oldest, first.since) } }
    return oldest
  }

  mutating func append(_ request: PoolRequest) {
    lines[Self.line(of: request)].append(request)
    count += 1
  }

  /// Puts a request before all others of its precedence.
  mutating func prepend(_ request: PoolRequest) {
    lines[Self.line(of: request)].prepend(request)
    count += 1
  }

  mutating func popFirst() -> PoolRequest? {
    for index in lines.indices where !lines[index].isEmpty {
      count -= 1
      return lines[index].popFirst()
    }
    return nil
  }

  /// The next that waits since `moment` or longer.
  mutating func popFirst(since moment: Int64) -> PoolRequest? {
    for index in lines.indices {
      guard let first = lines[index].first, first.since <= moment else { continue }
      count -= 1
      return lines[index].popFirst()
    }
    return nil
  }

  private static func line(of request: PoolRequest) -> Int {
    min(Int(request.precedence), lineCount - 1)
  }
}
