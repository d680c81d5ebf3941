internal import RedisClient

/// Fills a list with sample events: many to a command, several commands on the way.
struct QueueFiller {
  let connection: RedisConnection
  let list: String

  private static let itemsInCommand = 500
  private static let commandsOnTheWay = 8

  /// Gives the length of the list afterwards.
  func fill(_ count: Int, sentAt: Int64) async throws(RedisError) -> Int64 {
    var onTheWay: [PendingReply] = []
    var length: Int64 = 0
    for start in stride(from: 0, to: count, by: Self.itemsInCommand) {
      if onTheWay.count == Self.commandsOnTheWay {
        length = try await onTheWay.removeFirst().value().get().integer ?? length
      }
      let numbers = start..<min(start + Self.itemsInCommand, count)
      onTheWay.append(connection.start(push(numbers, sentAt), timeout: .seconds(30)))
    }
    for reply in onTheWay { length = try await reply.value().get().integer ?? length }
    return length
  }

  private func push(_ numbers: Range<Int>, _ sentAt: Int64) -> RedisCommand {
    var command = RedisCommand("RPUSH", list)
    command.reserve(numbers.count * (SampleEvent.itemBytes + 10))
    for number in numbers { command.append(SampleEvent(number: number, sentAt: sentAt).item) }
    return command
  }
}
