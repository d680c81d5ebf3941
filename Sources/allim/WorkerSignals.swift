internal import Glibc
internal import LoopIO
internal import PushTelemetry
internal import PushWorker

/// What signals do to a running worker (OPERATIONS 5).
final class WorkerSignals {
  private var sources: [SignalSource] = []
  private let grace: Duration
  private let log: Logger
  private let control: Loop
  private var worker: Worker?
  private var isStopping = false

  /// Catches them from now on: a stop that comes before there is a worker is remembered.
  init(_ grace: Duration, _ log: Logger, on control: Loop) throws(CommandFailure) {
    self.grace = grace
    self.log = log
    self.control = control
    do {
      try catchAll()
    } catch {
      throw CommandFailure(.failed, error.detail)
    }
  }

  private func catchAll() throws(StreamError) {
    for signal in [SIGTERM, SIGINT] { try on(signal) { [unowned self] in stop(signal) } }
    // Without this it would end the worker, as a terminal that closes does.
    try on(SIGHUP) { [unowned self] in
      log.warning("the configuration is not read again: that is not supported yet")
    }
    try on(SIGUSR1) { [unowned self] in report() }
    try on(SIGTTIN) { [unowned self] in change(by: 1) }
    try on(SIGTTOU) { [unowned self] in change(by: -1) }
    // With a terminal, TSTP is the shell's.
    if isatty(0) == 0 {
      try on(SIGTSTP) { [unowned self] in hold(true) }
      try on(SIGCONT) { [unowned self] in hold(false) }
    }
  }

  /// From now on signals are about this worker; false when it need not start any more.
  func watch(_ worker: Worker) -> Bool {
    self.worker = worker
    return !isStopping
  }

  private func on(_ signal: Int32, _ action: @escaping () -> Void) throws(StreamError) {
    sources.append(try SignalSource(on: control, signal, action))
  }

  func close() {
    for source in sources { source.close() }
  }

  /// The first asks to finish, the second to hand back at once.
  private func stop(_ signal: Int32) {
    let isFirst = !isStopping
    isStopping = true
    log.info(isFirst ? "stopping" : "handing back now", [.signal: .count(signal)])
    guard let worker else { return }
    let grace = grace
    // `WorkerProcess` waits for the worker's end.
    Task(executorPreference: control) {
      if isFirst { await worker.stop(grace: grace) } else { await worker.hurry() }
    }
  }

  private func hold(_ isHeld: Bool) {
    guard let worker else { return }
    log.info(isHeld ? "taking is held" : "taking goes on")
    Task(executorPreference: control) { for shard in worker.shards { await shard.hold(isHeld) } }
  }

  private func change(by step: Int) {
    guard let worker else { return }
    let log = log
    Task(executorPreference: control) {
      let now = await worker.lanes()
      await worker.scale(to: max(1, now + step))
      log.info(
        "the number of workers was changed by a signal", [.workers: .count(max(1, now + step))])
    }
  }

  private func report() {
    guard let worker else { return }
    let log = log
    Task(executorPreference: control) { await worker.report(to: log) }
  }
}

extension Worker {
  /// A record for each shard and each of its queues.
  fileprivate func report(to log: Logger) async {
    for (index, shard) in shards.enumerated() {
      let state = await shard.snapshot()
      log.info(
        "state",
        [
          .instance: .count(index), .workers: .count(state.lanes), .busy: .count(state.busy),
          .items: .count(state.open), .retries: .count(state.waiting),
          .state: .text(state.trouble?.detail ?? (state.isPaused ? "paused" : "running")),
        ])
      for feed in state.feeds { feed.report(of: index, to: log) }
    }
  }
}

extension FeedSnapshot {
  fileprivate func report(of shard: Int, to log: Logger) {
    log.info(
      "state of a queue",
      [
        .instance: .count(shard), .queue: .text(name), .busy: .count(busy),
        .items: .count(open), .retries: .count(waiting),
        .state: .text(trouble?.detail ?? (isPaused ? "paused" : "running")),
      ])
  }
}
