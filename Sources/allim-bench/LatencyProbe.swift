internal import Glibc
internal import LoopIO
internal import RedisClient
internal import SharedState

/// Pushes events one at a time and notes the moment of each push; the other end of the way is in
/// the simulator's record. A PING after each push tells what Redis alone takes.
struct LatencyProbe {
  let connection: RedisConnection
  let loop: Loop
  let list: String
  let clock = SystemClock()

  struct Push {
    let token: String
    /// UNIX microseconds just before the command went out.
    let micros: Int64
    let pingNanoseconds: Int64
  }

  func run(_ samples: Int, pause: Duration) async throws -> [Push] {
    var pushes: [Push] = []
    for number in 1...samples {
      try await loop.sleep(pause)
      let event = SampleEvent(number: number, sentAt: clock.wall() / 1_000)
      var command = RedisCommand("RPUSH", list)
      command.append(event.item)
      let micros = unixMicroseconds()
      _ = try await connection.call(command, timeout: .seconds(5)).get()
      let begin = clock.monotonic()
      _ = try await connection.call(RedisCommand("PING"), timeout: .seconds(5)).get()
      pushes.append(
        Push(token: event.token, micros: micros, pingNanoseconds: clock.monotonic() - begin))
    }
    return pushes
  }
}

/// The clock of the simulator's record.
private func unixMicroseconds() -> Int64 {
  var now = timespec()
  unsafe clock_gettime(CLOCK_REALTIME, &now)
  return Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1_000
}
