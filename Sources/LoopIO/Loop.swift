internal import CLibuv
internal import Glibc
internal import SharedState
internal import Synchronization

/// A libuv loop that is an executor: what runs on it runs on its one thread.
///
/// An actor whose executor is a loop, tasks that prefer it, and all streams and timers made on it
/// share that thread, so that nothing of a push ever waits for another thread (measured: a call to
/// an actor on the same loop takes 0.1 us, on another thread 40-50 us).
@safe package final class Loop: SerialExecutor, TaskExecutor, @unchecked Sendable {
  /// What other threads hand in; `isClosed` once nobody will take it any more.
  private struct Arrivals {
    var jobs: [UnownedJob] = []
    var calls: [@Sendable () -> Void] = []
    var isClosed = false
  }

  package let name: String
  let raw: UnsafeMutablePointer<uv_loop_t>
  private let wake: UnsafeMutablePointer<uv_async_t>
  private let arrivals = Guarded(Arrivals())
  private let thread = Atomic<UInt>(0)
  private let stopping = Atomic<Bool>(false)
  private let state: LoopState

  package init(name: String) {
    self.name = name
    // libuv's writes raise SIGPIPE when the peer has gone; it must be an error, not an end.
    SignalSource.ignoreBrokenPipes()
    unsafe raw = .allocate(capacity: 1)
    unsafe wake = .allocate(capacity: 1)
    unsafe uv_loop_init(raw)
    unsafe uv_async_init(raw, wake) { _ in }  // the turn itself looks at the arrivals
    unsafe state = LoopState(raw)
    unsafe cuv_set_data(state.prepare, Unmanaged.passUnretained(self).toOpaque())
    unsafe uv_prepare_start(state.prepare) { handle in
      let loop = unsafe Unmanaged<Loop>.fromOpaque(cuv_data(handle!)!).takeUnretainedValue()
      loop.turn()
    }
  }

  /// What only the loop's thread may touch.
  var here: LoopState {
    assert(isOwnThread)
    return state
  }

  package var isOwnThread: Bool { UInt(pthread_self()) == thread.load(ordering: .relaxed) }

  /// Stops the process when called from elsewhere: a fault of our own code.
  package func assertOwnThread() { precondition(isOwnThread, "not on the loop's thread") }

  // MARK: Running

  /// Runs on a thread of its own, which keeps the loop alive until `stop`.
  package func start() {
    var id = pthread_t()
    let user = unsafe Unmanaged.passRetained(self).toOpaque()
    let failed = unsafe pthread_create(&id, nil, { unsafe Loop.threadMain($0) }, user)
    precondition(failed == 0, "no thread for a loop")
    pthread_detach(id)
  }

  private static func threadMain(_ user: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    let loop = unsafe Unmanaged<Loop>.fromOpaque(user!).takeRetainedValue()
    unsafe cuv_name_thread(String(loop.name.prefix(15)))
    loop.run()
    return nil
  }

  /// Runs on the calling thread until `stop`, then closes every handle of the loop.
  package func run() {
    thread.store(UInt(pthread_self()), ordering: .relaxed)
    unsafe uv_run(raw, UV_RUN_DEFAULT)
    closeAll()
  }

  /// Ends `run` after the turn under way; jobs that come later never run. From any thread.
  package func stop() {
    stopping.store(true, ordering: .relaxed)
    arrivals.withLock { if !$0.isClosed { unsafe uv_async_send(wake) } }
  }

  private func closeAll() {
    arrivals.withLock { $0.isClosed = true }
    unsafe uv_walk(
      raw,
      { handle, _ in
        if unsafe cuv_is_closing(handle) == 0 { unsafe cuv_close(handle, nil) }
      }, nil)
    while unsafe uv_run(raw, UV_RUN_DEFAULT) != 0 {}
    unsafe uv_loop_close(raw)
  }

  // MARK: Executor

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if isOwnThread { return here.ready.append(job) }
    arrivals.withLock { arrivals in
      if arrivals.isClosed { return }
      arrivals.jobs.append(job)
      unsafe uv_async_send(wake)  // cannot be lost: the eventfd stays readable
    }
  }

  package func checkIsolated() { assertOwnThread() }

  package func isIsolatingCurrentContext() -> Bool? { isOwnThread }

  package func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    unsafe UnownedSerialExecutor(ordinary: self)
  }

  package func asUnownedTaskExecutor() -> UnownedTaskExecutor {
    unsafe UnownedTaskExecutor(ordinary: self)
  }

  /// Calls `body` on the loop in a later part of a turn, from any thread; never after `stop`.
  package func execute(_ body: @escaping @Sendable () -> Void) {
    if isOwnThread { return here.calls.append(body) }
    arrivals.withLock { arrivals in
      if arrivals.isClosed { return }
      arrivals.calls.append(body)
      unsafe uv_async_send(wake)
    }
  }

  // MARK: One turn

  /// Calls `client.turnEnds()` once when this turn has run its jobs: here bytes are written.
  package func markDirty(_ client: any TurnEnd) { here.dirty.append(client) }

  /// Runs before the loop looks at its sockets.
  private func turn() {
    let here = here
    arrivals.withLock { arrivals in
      here.ready += arrivals.jobs
      here.calls += arrivals.calls
      arrivals.jobs.removeAll(keepingCapacity: true)
      arrivals.calls.removeAll(keepingCapacity: true)
    }
    var rounds = 0
    while here.hasWork, rounds < 16 {
      rounds += 1
      runReady()
      if here.ready.isEmpty && here.calls.isEmpty { endTurn() }
    }
    if here.hasWork {
      unsafe uv_idle_start(here.again) { _ in }  // look at the sockets without sleeping, then go on
    } else {
      unsafe uv_idle_stop(here.again)
    }
    if stopping.load(ordering: .relaxed) { unsafe uv_stop(raw) }
  }

  private func runReady() {
    let here = here
    swap(&here.calls, &here.calling)
    for call in here.calling { call() }
    here.calling.removeAll(keepingCapacity: true)
    swap(&here.ready, &here.running)
    let serial = unsafe asUnownedSerialExecutor()
    let task = unsafe asUnownedTaskExecutor()
    for job in here.running {
      // Twice as fast as `runSynchronously(on:)` (measured).
      unsafe job.runSynchronously(isolatedTo: serial, taskExecutor: task)
    }
    here.running.removeAll(keepingCapacity: true)
  }

  private func endTurn() {
    let here = here
    swap(&here.dirty, &here.ending)
    for client in here.ending { client.turnEnds() }
    here.ending.removeAll(keepingCapacity: true)
  }
}

/// Something that writes at the end of a turn what the turn's jobs have gathered.
package protocol TurnEnd: AnyObject {
  func turnEnds()
}
