import LoopIO
import PushModel

/// The pool of worker tasks of one process: its shards, scaled and stopped together.
package final class Worker: Sendable {
  package let shards: [Shard]

  package init(shards: [Shard]) { self.shards = shards }

  /// Works until `stop` has drained every shard.
  package func run() async {
    await withDiscardingTaskGroup { group in
      for shard in shards {
        group.addTask(executorPreference: shard.loop) { await shard.run() }
      }
    }
  }

  /// Divides `workers` among the shards, at least one each.
  package func scale(to workers: Int) async {
    for (index, shard) in shards.enumerated() {
      await shard.scale(to: Self.share(workers, index, of: shards.count))
    }
  }

  /// Lanes wanted now, over all shards.
  package func lanes() async -> Int {
    var sum = 0
    for shard in shards { sum += await shard.wantedLanes }
    return sum
  }

  /// How many of `workers` the shard of this index has.
  package static func share(_ workers: Int, _ index: Int, of count: Int) -> Int {
    max(1, workers / count + (index < workers % count ? 1 : 0))
  }

  /// Takes nothing more; `stop` follows.
  package func quiet() async {
    for shard in shards { await shard.quiet() }
  }

  /// Takes nothing more, finishes within `grace`, and hands the rest back.
  package func stop(grace: Duration) async {
    await withDiscardingTaskGroup { group in
      for shard in shards { group.addTask { await shard.stop(grace: grace) } }
    }
  }

  /// Hands back now what a `stop` under way still waits for.
  package func hurry() async {
    for shard in shards { await shard.hurry() }
  }
}
