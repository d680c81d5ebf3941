package import LoopIO

/// The place of an answer that is still to come, in the order of the commands.
package final class PendingReply {
  let deadline: Int64
  private var reply: RedisReply?
  private var waiting: CheckedContinuation<RedisReply, Never>?
  /// The present wait is to end, though nothing waits yet.
  private var isGivenUp = false

  init(deadline: Int64) { self.deadline = deadline }

  /// The answer; an error value when the connection ended first. To be asked by one task only.
  package func value() async -> RedisReply {
    // Looked for where the wait begins: on the way there may be a turn of the loop, and in it the
    // answer, whom nobody would wake then.
    await withCheckedContinuation { continuation in
      if let reply { return continuation.resume(returning: reply) }
      waiting = continuation
    }
  }

  /// True once the answer is there.
  package var isThere: Bool { reply != nil }

  /// The answer, or nil when the task was cancelled first; the command may still run.
  package func valueUnlessCancelled(
    on loop: Loop, isolation: isolated (any Actor)? = #isolation
  ) async -> RedisReply? {
    if let reply { return reply }
    let me = LoopOnly(self)
    isGivenUp = false
    _ = await withTaskCancellationHandler {
      _ = isolation  // keeps the closure on the caller's actor; else it runs on the global pool
      return await withCheckedContinuation {
        (continuation: CheckedContinuation<RedisReply, Never>) in
        // On the way here there may be a turn of the loop, and in it the answer or the end.
        if reply != nil || isGivenUp { return continuation.resume(returning: .null) }
        waiting = continuation
      }
    } onCancel: {
      loop.execute { me.value.giveUp() }
    }
    return reply
  }

  /// Ends a `valueUnlessCancelled` under way with nil; the answer may still be awaited again.
  package func giveUp() {
    guard reply == nil else { return }
    isGivenUp = true
    waiting?.resume(returning: .null)
    waiting = nil
  }

  func resolve(_ reply: RedisReply) {
    self.reply = reply
    waiting?.resume(returning: reply)
    waiting = nil
  }
}

/// Replies still to come, oldest first; takes from the front without moving the rest.
struct PendingReplies {
  private var list: [PendingReply] = []
  private var head = 0

  var isEmpty: Bool { head == list.count }

  var count: Int { list.count - head }

  mutating func append(_ pending: PendingReply) { list.append(pending) }

  mutating func popFirst() -> PendingReply? {
    guard head < list.count else { return nil }
    let first = list[head]
    head += 1
    if head == list.count {
      list.removeAll(keepingCapacity: true)
      head = 0
    } else if head >= 1_024 {
      list.removeFirst(head)
      head = 0
    }
    return first
  }

  mutating func removeAll() -> ArraySlice<PendingReply> {
    defer {
      list = []
      head = 0
    }
    return list[head...]
  }

  /// The earliest deadline; nil when nothing is pending.
  var nextDeadline: Int64? { list[head...].lazy.map(\.deadline).min() }
}

/// Lets a task or a cancel handler carry what only the loop's thread touches.
@safe struct LoopOnly<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}
