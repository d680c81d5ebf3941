internal import PushModel
internal import PushQueue
internal import PushSettings
internal import PushTelemetry
internal import SharedState

// The clock of the charts.
extension AdminDesk {
  /// To be called each ten seconds.
  func noteFigures() async {
    history.note(totals())
    do { try await noteDropped() } catch {
      // Redis being away shows in other metrics; the figures stay as they were.
    }
  }

  /// Counted in Redis by whoever dropped them.
  private func noteDropped() async throws {
    var dropped = 0
    for queue in try inspectors() {
      dropped += try await queue.counter(QueueCounter.invalidDropped)
    }
    metrics.invalidTokensDropped.add(max(0, dropped - invalidDropped))
    invalidDropped = dropped
  }

  private func totals() -> History.Totals {
    let settings = settings()
    var totals = History.Totals()
    totals.at = clock.wall() / 1_000
    // Both environments of an app count as one.
    let keys = settings.credentials.map {
      CredentialKey(app: $0.key.app, provider: $0.key.provider)
    }
    for key in Set(keys) {
      let pushes = metrics.pushes(app: key.app, provider: key.provider)
      let counters = [
        pushes.accepted, pushes.invalidToken, pushes.dead, pushes.expired, pushes.cancelled,
      ]
      for (index, counter) in counters.enumerated() { totals.outcomes[index] += counter.value }
    }
    for queue in settings.queues {
      let figures = metrics.queue(queue.name)
      totals.oldestAge = max(totals.oldestAge, figures.oldestAge.value)
      for reason in DeadReason.allCases {
        totals.dead[reason, default: 0] += figures.deadLetters(reason).value
      }
    }
    totals.queueAge = metrics.queueAge.counts
    totals.sendTime = metrics.sendDuration.counts
    return totals
  }
}
