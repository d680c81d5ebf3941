internal import PushModel
package import PushWorker
package import SharedState

/// The queue of a test: one instance on an `InMemoryStore`, with the semantics of `RedisQueue` and
/// no Redis. `fault` makes calls fail, as a lost connection would.
package final class InMemoryQueue: JobQueue {
  /// When a call fails.
  package enum Fault: Sendable {
    /// The command never reached the store.
    case before
    /// It ran, and its answer was lost.
    case after
  }

  package let name: String
  package let instance: String
  package private(set) var startDeadline = Int64.min
  /// Asked at each call with its name; nil = it works.
  package var fault: (StaticString) -> Fault? = { _ in nil }

  private let store: InMemoryStore
  private let settings: QueueSettings
  private let clock: any PushClock
  private var book = ReceiptBook()
  private var news = FleetNews()
  private var isHeldBack = false
  private var looksForDead = 0
  private var waiting: Int?

  /// `clock` is the instance's own, for `startDeadline`; nil = the store's.
  package init(
    _ name: String = "push:messages", instance: String, store: InMemoryStore,
    settings: QueueSettings = QueueSettings(), clock: (any PushClock)? = nil
  ) {
    self.name = name
    self.instance = instance
    self.store = store
    self.settings = settings
    self.clock = clock ?? store.clock
  }

  private func call<R: Sendable>(
    _ name: StaticString, _ body: (inout InMemoryStore.Content) throws(QueueError) -> R
  ) throws(QueueError) -> R {
    let fault = fault(name)
    if fault == .before { throw QueueError(.unreachable, "not connected") }
    let result = try store.step(body)
    if fault == .after { throw QueueError(.unreachable, "no reply in time") }
    return result
  }

  private func fenced() -> QueueError {
    startDeadline = .min
    return QueueError(.fenced, "the lease is over or gone")
  }

  // MARK: Lease

  package func join() async throws(QueueError) {
    let sent = clock.monotonic()
    let end = store.now + settings.lease.milliseconds
    let name = instance
    try call("join") { content throws(QueueError) in
      content.instances[name, default: .init(leaseEnd: 0)].leaseEnd = end
    }
    noteLease(sent)
  }

  package func beat(_ status: InstanceStatus) async throws(QueueError) -> FleetNews {
    let sent = clock.monotonic()
    let now = store.now
    let name = instance
    let end = now + settings.lease.milliseconds
    let answer = try call("beat") { content throws(QueueError) -> (Int, [String: String])? in
      guard content.instances[name]?.leaseEnd ?? 0 >= now else { return nil }
      content.instances[name]?.leaseEnd = end
      return (content.live(now), content.control)
    }
    guard let (live, wishes) = answer else { throw fenced() }
    noteLease(sent)
    note(live, wishes)
    return news
  }

  private func noteLease(_ sent: Int64) {
    startDeadline = sent + (settings.lease - settings.margin).milliseconds * 1_000_000
  }

  private func note(_ live: Int, _ wishes: [String: String]) {
    news.instances = max(1, live)
    news.read(wishes, of: instance)
  }

  // MARK: Taking and settling

  package func take(_ order: TakeOrder) async throws(QueueError) -> Batch {
    guard order.want > 0 else { return Batch() }
    let first = book.beginTake(order.want, at: 0)
    defer { book.endTake(first) }
    let now = store.now
    let name = instance
    let settings = settings
    let answer = try call("take") { content throws(QueueError) -> Taken? in
      guard content.instances[name]?.leaseEnd ?? 0 >= now else { return nil }
      let (items, held) = content.take(order, by: name, first: first, now: now, settings)
      return Taken(
        items: items.map { QueueItem($0.0, $0.1) }, isHeldBack: held,
        nextDue: content.delayed.first?.due, live: content.live(now),
        wishes: content.control.merging([
          QueueCounter.deadWaiting: "\(content.counters[QueueCounter.deadWaiting, default: 0])"
        ]) { $1 },
        parked: order.parked.map { content.parked[$0.credential]?.count ?? 0 })
    }
    guard let answer else { throw fenced() }
    for item in answer.items { book.hold(item.receipt) }
    isHeldBack = answer.isHeldBack
    note(answer.live, answer.wishes)
    var batch = Batch()
    batch.items = answer.items
    batch.serverTime = now
    batch.nextDue = answer.nextDue.map { .milliseconds(max(0, $0 - now)) }
    batch.news = news
    batch.parked = answer.parked
    return batch
  }

  private struct Taken: Sendable {
    let items: [QueueItem]
    let isHeldBack: Bool
    let nextDue: Int64?
    let live: Int
    let wishes: [String: String]
    let parked: [Int]
  }

  package func settle(_ settlements: [Settlement]) async throws(QueueError) -> [Bool] {
    let name = instance
    let settings = settings
    let now = store.now
    let marks = settlements.map { book.marks(of: $0.receipt) }
    let ours = try call("settle") { content throws(QueueError) in
      zip(settlements, marks).map {
        content.settle($0, of: name, after: $1, settings, now: now)
      }
    }
    for (settlement, wasOurs) in zip(settlements, ours) {
      book.settled(settlement, wasOurs: wasOurs)
    }
    return ours
  }

  package func settleAndTake(
    _ settlements: [Settlement], _ order: TakeOrder
  ) async -> SettledAndTaken {
    let settled: Result<[Bool], QueueError>
    do { settled = .success(try await settle(settlements)) } catch { settled = .failure(error) }
    do {
      return SettledAndTaken(settled: settled, taken: .success(try await take(order)))
    } catch {
      return SettledAndTaken(settled: settled, taken: .failure(error))
    }
  }

  package func progress(_ progress: ItemProgress) async throws(QueueError) -> Bool {
    let name = instance
    let settings = settings
    let now = store.now
    let before = book.marks(of: progress.receipt)
    let isOurs = try call("progress") { content throws(QueueError) in
      content.progress(progress, of: name, after: before, settings, now: now)
    }
    book.noteProgress(progress.receipt, progress.done, wasOurs: isOurs)
    return isOurs
  }

  package func split(_ step: SplitStep) async throws(QueueError) -> Bool {
    let name = instance
    let before = book.marks(of: step.receipt)
    let isOurs = try call("split") { content throws(QueueError) in
      content.split(step, of: name, after: before)
    }
    book.noteSplit(step, wasOurs: isOurs)
    return isOurs
  }

  package func putBack(_ receipts: [Receipt]) async throws(QueueError) {
    let name = instance
    for receipt in receipts { book.forget(receipt) }
    try call("putBack") { content throws(QueueError) in content.putBack(receipts, of: name) }
  }

  // MARK: Recovery

  package func recover() async throws(QueueError) -> Int {
    let now = store.now
    let name = instance
    // The age of letters stands in them: here they are only counted, as often as in Redis.
    let looksAtDead = looksForDead % 20 == 0
    looksForDead += 1
    return try call("recover") { content throws(QueueError) in
      if looksAtDead { _ = content.takeLetters([]) }
      return content.recover(but: name, now)
    }
  }

  package func reconcile() async throws(QueueError) -> [QueueItem] {
    let name = instance
    let (found, marks) = try call("reconcile") { content throws(QueueError) in
      let marks = content.instances[name]?.progress ?? [:]
      var found: [Receipt: QueueItem] = [:]
      for (receipt, var entry) in content.instances[name]?.items ?? [:] {
        if let marks = marks[receipt] { entry.header?.done = marks }
        found[receipt] = QueueItem(receipt, entry)
      }
      return (found, marks)
    }
    let (again, unknown) = book.compare(Array(found.keys))
    if !again.isEmpty { _ = try await settle(again) }
    for receipt in unknown {
      book.hold(receipt)
      if let marks = marks[receipt] { book.mark(receipt, marks.text) }
    }
    return unknown.compactMap { found[$0] }
  }

  package func release() async throws(QueueError) {
    startDeadline = .min
    let name = instance
    try call("release") { content throws(QueueError) in content.release(name) }
    book.forgetAll()
  }

  // MARK: Waiting

  package func waitForWork(upTo limit: Duration) async {
    let mayLook = !news.isPaused && !isHeldBack
    let store = store
    let number = store.with { content in
      content.nextWaiting += 1
      return content.nextWaiting
    }
    waiting = number
    // Ends with this call: it is cancelled below.
    let timer = Task {
      if (try? await Task.sleep(for: limit)) != nil { store.wake(number) }
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        store.register(number, continuation, unlessWorkIsThere: mayLook)
      }
    } onCancel: {
      store.wake(number)
    }
    timer.cancel()
    waiting = nil
    store.with { _ = $0.woken.remove(number) }
  }

  package func wake() {
    if let waiting { store.wake(waiting) }
  }
}

extension InMemoryStore {
  /// A step of an instance; those that wait go on when it brought something to the empty list.
  func step<R: Sendable, E: Error>(
    _ body: (inout Content) throws(E) -> R
  ) throws(E) -> R {
    let (result, waiting) = try with { content throws(E) in
      let wasEmpty = content.ready.isEmpty
      let result = try body(&content)
      return (result, wasEmpty && !content.ready.isEmpty ? content.takeWaiting() : [])
    }
    for one in waiting { one.resume() }
    return result
  }

  /// Waits until `wake`, a push, or at once when something is there.
  func register(
    _ number: Int, _ continuation: CheckedContinuation<Void, Never>, unlessWorkIsThere: Bool
  ) {
    let isOver = with { content in
      if content.woken.remove(number) != nil { return true }
      if unlessWorkIsThere, !content.ready.isEmpty { return true }
      content.waiting[number] = continuation
      return false
    }
    if isOver { continuation.resume() }
  }

  /// The timer or a cancellation may come before the registration: then it leaves a mark.
  func wake(_ number: Int) {
    let waiting = with { content in
      let waiting = content.waiting.removeValue(forKey: number)
      if waiting == nil { content.woken.insert(number) }
      return waiting
    }
    waiting?.resume()
  }
}

extension QueueItem {
  init(_ receipt: Receipt, _ entry: InMemoryStore.Entry) {
    self.init(
      receipt: receipt, header: entry.header ?? ItemHeader(id: "", firstTaken: 0),
      bytes: entry.bytes)
  }
}
