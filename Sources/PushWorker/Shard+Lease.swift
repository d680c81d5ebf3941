import LoopIO
import PushCodec
import PushModel
import PushTelemetry
import SharedState

// The heartbeat: keeps the lease, listens to the fleet, and returns the items of the dead.
// Quiet and drain: it goes on, since items are still ours. Cancel: it ends.
extension Shard {
  func runHeartbeat() async {
    await join()
    var beats = 0
    while !Task.isCancelled {
      await beat()
      await recover()
      beats += 1
      if needsReconciling || beats % 10 == 0 { await reconcile() }
      // Not all instances at once.
      await pause(beatInterval * Double.random(in: 0.9...1.1))
    }
  }

  /// Takes a lease, for ever; without one nothing is taken.
  private func join() async {
    trouble = QueueError(.unreachable, "not joined yet")
    var pause = Duration.milliseconds(50)
    while !Task.isCancelled {
      do throws(QueueError) {
        try await queue.join()
        trouble = nil
        lastBeat = clock.monotonic()
        return
      } catch {
        trouble = error
        log.warning(
          "the queue cannot be joined",
          [
            .queue: .text(queue.name), .code: .text("\(error.code)"), .detail: .text(error.detail),
          ])
      }
      await self.pause(pause)
      pause = min(pause * 2, .seconds(5))
    }
  }

  private func beat() async {
    status.capacity = wantedLanes
    status.busy = dispatcher.running
    metrics.workersBusy.set(dispatcher.running)
    do throws(QueueError) {
      let news = try await queue.beat(status)
      lastBeat = clock.monotonic()
      apply(news)
      if trouble != nil {
        trouble = nil
        await reconcile()
      }
    } catch {
      trouble = error
      if error.code == .fenced {
        metrics.redisError(.fenced)
        await rejoin()
      } else if error.code != .cancelled {
        log.warning(
          "the lease could not be renewed",
          [
            .queue: .text(queue.name), .code: .text("\(error.code)"), .detail: .text(error.detail),
          ])
      }
    }
  }

  /// The lease was lost: others may have our items, so what has not begun is given up.
  private func rejoin() async {
    log.warning("the lease was lost; joining again", [.queue: .text(queue.name)])
    let receipts = abandonWaiting()
    await join()
    do throws(QueueError) {
      try await queue.putBack(receipts)
    } catch {
      log.debug("abandoned items are left to reconciliation", [.detail: .text(error.detail)])
    }
    await reconcile()
  }

  private func abandonWaiting() -> [Receipt] {
    var receipts: Set<Receipt> = []
    for job in dispatcher.removeWaiting() {
      job.item.remaining -= 1
      job.item.isAbandoned = true
      receipts.insert(job.item.item.receipt)
      if job.item.remaining == 0 { codec.recycle(job.item.event) }
    }
    for receipt in receipts { open[receipt] = nil }
    fetchWake.raise()
    return Array(receipts)
  }

  private func recover() async {
    do throws(QueueError) {
      let count = try await queue.recover()
      if count > 0 {
        metrics.recoveredItems.add(count)
        log.info(
          "items of a dead instance are back",
          [
            .queue: .text(queue.name), .items: .count(count),
          ])
      }
    } catch {
      if error.code != .cancelled {
        log.debug("recovery did not run", [.detail: .text(error.detail)])
      }
    }
  }

  private func reconcile() async {
    guard phase == .running else { return }
    do throws(QueueError) {
      needsReconciling = false
      for item in try await queue.reconcile() where open[item.receipt] == nil { accept(item) }
    } catch {
      needsReconciling = true
      log.debug("reconciliation did not run", [.detail: .text(error.detail)])
    }
  }

  /// Follows what operators said through Redis.
  func apply(_ news: FleetNews) {
    if news != self.news { onNews?(news) }
    self.news = news
  }
}
