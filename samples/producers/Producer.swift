// Package: https://github.com/swift-server/RediStack
import Foundation
import NIOPosix
import RediStack

let environment = ProcessInfo.processInfo.environment
let queue = environment["QUEUE"] ?? "push:messages"
let url = environment["REDIS_URL"] ?? "redis://127.0.0.1:6379/0"
let server = try await RedisConnection.make(
  configuration: .init(url: url), boundEventLoop: MultiThreadedEventLoopGroup.singleton.next()
).get()

struct Event: Encodable {
  struct Named: Encodable { var id: Int, name: String }
  struct Message: Encodable { var id: Int, text: String }
  struct Device: Encodable { var platform: String, token: String }
  var type = "message", app = "chat"
  var sentAt = Int(Date().timeIntervalSince1970)
  var room: Named, sender: Named, message: Message, devices: [Device]
}

/// Pushes one event. Once this returns, the event is Allim's.
func notify(_ event: Event) async throws {
  let json = String(decoding: try JSONEncoder().encode(event), as: UTF8.self)
  _ = try await server.rpush(json, into: RedisKey(queue)).get()
}

/// Reads the tokens that are gone and calls `remove` with each record, as JSON.
func removeDeadTokens(_ remove: (Data) throws -> Void) async throws {
  while let record = try await server.lpop(from: RedisKey("{\(queue)}:invalid")).get().data {
    try remove(record)
  }
}

try await notify(
  Event(
    room: .init(id: 42, name: "Lunch"), sender: .init(id: 7, name: "Mina"),
    message: .init(id: 9001, text: "Noodles at noon?"),
    devices: [.init(platform: "ios", token: String(repeating: "aa", count: 32))]))
// Remove the token of that kind, not the whole device.
try await removeDeadTokens { record in print(String(decoding: record, as: UTF8.self)) }
