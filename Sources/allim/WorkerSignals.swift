internal import Glibc
internal import LoopIO
internal import PushSettings
internal import PushTelemetry
internal import PushWorker

/// What signals do to a running worker (OPERATIONS 5).
final class WorkerSignals {
  /// Asks to read the configuration again; ends with the first TERM or INT.
  let reloads: AsyncStream<Void>
  private let reloadRequests: AsyncStream<Void>.Continuation
  private var sources: [SignalSource] = []
  private let log: Logger
  private let control: Loop
  private let notifier: ServiceNotifier
  /// How long a stop may take before there is a generation.
  private let grace: Duration
  /// The one in charge last; those before it are draining.
  private var generations: [Generation] = []
  private(set) var isStopping = false
  private var isHeld = false

  /// Catches them from now on: a stop that comes before there is a worker is remembered.
  init(
    _ log: Logger, _ notifier: ServiceNotifier, grace: Duration, on control: Loop
  ) throws(CommandFailure) {
    self.log = log
    self.notifier = notifier
    self.grace = grace
    self.control = control
    // Several that come while one is at work are one: the file is read after the last.
    (reloads, reloadRequests) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    do {
      try catchAll()
    } catch {
      throw CommandFailure(.failed, error.detail)
    }
  }

  private func catchAll() throws(StreamError) {
    for signal in [SIGTERM, SIGINT] { try on(signal) { [unowned self] in stop(signal) } }
    try on(SIGHUP) { [unowned self] in _ = reloadRequests.yield() }
    try on(SIGUSR1) { [unowned self] in report() }
    try on(SIGTTIN) { [unowned self] in change(by: 1) }
    try on(SIGTTOU) { [unowned self] in change(by: -1) }
    // With a terminal, TSTP is the shell's.
    if isatty(0) == 0 {
      try on(SIGTSTP) { [unowned self] in hold(true) }
      try on(SIGCONT) { [unowned self] in hold(false) }
    }
  }

  /// From now on signals are about this generation; false when it need not start any more.
  func watch(_ generation: Generation) async -> Bool {
    if isStopping { return false }
    generations.removeAll(where: \.hasEnded)
    generations.append(generation)
    if isHeld { for shard in generation.worker.shards { await shard.hold(true) } }
    return true
  }

  private func on(_ signal: Int32, _ action: @escaping () -> Void) throws(StreamError) {
    sources.append(try SignalSource(on: control, signal, action))
  }

  /// The process is about to end: one more TERM must not change with what status.
  func close() {
    for number in [SIGTERM, SIGINT] { SignalSource.swallow(number) }
    for source in sources { source.close() }
    reloadRequests.finish()
  }

  /// The first asks to finish, the second to hand back at once.
  private func stop(_ signal: Int32) {
    let isFirst = !isStopping
    isStopping = true
    log.info(isFirst ? "stopping" : "handing back now", [.signal: .count(signal)])
    reloadRequests.finish()
    if isFirst { notifier.stopping(grace: generations.last?.settings.shutdown.grace ?? grace) }
    for generation in generations {
      // `WorkerProcess` waits for the workers' ends.
      Task(executorPreference: control) {
        if isFirst {
          await generation.worker.stop(grace: generation.settings.shutdown.grace)
        } else {
          await generation.worker.hurry()
        }
      }
    }
  }

  /// Taking is held apart from the pauses that operators set: CONT lifts what TSTP has set.
  private func hold(_ isHeld: Bool) {
    guard self.isHeld != isHeld else { return }
    self.isHeld = isHeld
    log.info(isHeld ? "taking is held" : "taking goes on")
    for generation in generations {
      Task(executorPreference: control) {
        for shard in generation.worker.shards { await shard.hold(isHeld) }
      }
    }
  }

  private func change(by step: Int) {
    guard let count = generations.last?.count else { return }
    Task(executorPreference: control) { await count.change(by: step) }
  }

  private func report() {
    guard let worker = generations.last?.worker else { return }
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
