// swiftc Producer.swift (no package is needed)
import Foundation

let environment = ProcessInfo.processInfo.environment
let queue = environment["QUEUE"] ?? "push:messages"
let url = environment["REDIS_URL"] ?? "redis://127.0.0.1:6379/0"
let server = try Redis(URLComponents(string: url)!)

struct Event: Encodable {
  struct Named: Encodable { var id: Int, name: String }
  struct Message: Encodable { var id: Int, text: String }
  struct Device: Encodable { var platform: String, token: String }
  var type = "message", app = "chat"
  var sentAt = Int(Date().timeIntervalSince1970)
  var room: Named, sender: Named, message: Message, devices: [Device]
}

/// A token that is gone.
struct DeadToken: Decodable { var kind: String, token: String, deviceId: String?, reason: String }

/// Pushes one event. Once this returns, the event is Allim's. With RediStack: `rpush(_:into:)`.
func notify(_ event: Event) throws {
  let json = String(decoding: try JSONEncoder().encode(event), as: UTF8.self)
  _ = try server.call("RPUSH", queue, json)
}

/// Reads the tokens that are gone and calls `remove` with each. With RediStack: `lpop(from:)`.
func removeDeadTokens(_ remove: (DeadToken) throws -> Void) throws {
  while case .list(let records) = try server.call("LPOP", "{\(queue)}:invalid", "500") {
    for case .text(let record) in records {
      try remove(try JSONDecoder().decode(DeadToken.self, from: Data(record.utf8)))
    }
  }
}

try notify(
  Event(
    room: .init(id: 42, name: "Lunch"), sender: .init(id: 7, name: "Mina"),
    message: .init(id: 9001, text: "Noodles at noon?"),
    devices: [.init(platform: "ios", token: String(repeating: "aa", count: 32))]))
// Remove the token of that kind, not the whole device.
try removeDeadTokens { print($0.kind, $0.deviceId ?? "", $0.reason) }

/// Redis' protocol as far as a producer needs it; a client library does as well.
final class Redis {
  enum Reply {
    case nothing
    case text(String)
    case list([Reply])
  }
  struct Failure: Error { var text: String }

  private let stream: UnsafeMutablePointer<FILE>

  init(_ url: URLComponents) throws {
    let descriptor = try Self.connect(url.host ?? "127.0.0.1", url.port ?? 6379)
    stream = fdopen(descriptor, "r+")
    if let password = url.password {
      let user = url.user ?? ""
      _ = try user.isEmpty ? call("AUTH", password) : call("AUTH", user, password)
    }
    if url.path.count > 1 { _ = try call("SELECT", String(url.path.dropFirst())) }
  }

  deinit { fclose(stream) }

  private static func connect(_ host: String, _ port: Int) throws -> Int32 {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(host, String(port), &hints, &found)
    guard status == 0 else { throw Failure(text: String(cString: gai_strerror(status))) }
    defer { freeaddrinfo(found) }
    var next = found
    while let address = next?.pointee {
      let descriptor = socket(address.ai_family, address.ai_socktype, 0)
      if Glibc.connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 { return descriptor }
      close(descriptor)
      next = address.ai_next
    }
    throw Failure(text: "cannot connect to \(host):\(port)")
  }

  func call(_ words: String...) throws -> Reply {
    var command = "*\(words.count)\r\n"
    for word in words { command += "$\(word.utf8.count)\r\n\(word)\r\n" }
    let bytes = Array(command.utf8)
    guard fwrite(bytes, 1, bytes.count, stream) == bytes.count, fflush(stream) == 0 else {
      throw Failure(text: "Redis closed the connection")
    }
    return try reply()
  }

  private func reply() throws -> Reply {
    let line = try line()
    let rest = String(line.dropFirst())
    switch (line.first, Int(rest)) {
    case ("-", _): throw Failure(text: rest)
    case ("$", let count?): return count < 0 ? .nothing : .text(try text(count))
    case ("*", let count?):
      return count < 0 ? .nothing : .list(try (0..<count).map { _ in try reply() })
    default: return .text(rest)
    }
  }

  private func line() throws -> String {
    var bytes: [UInt8] = []
    while case let byte = getc(stream), byte != 13 {
      guard byte >= 0 else { throw Failure(text: "Redis closed the connection") }
      bytes.append(UInt8(byte))
    }
    getc(stream)  // the line feed
    return String(decoding: bytes, as: UTF8.self)
  }

  private func text(_ count: Int) throws -> String {
    var bytes = [UInt8](repeating: 0, count: count + 2)  // and the end of the line
    guard fread(&bytes, 1, bytes.count, stream) == bytes.count else {
      throw Failure(text: "Redis closed the connection")
    }
    return String(decoding: bytes.dropLast(2), as: UTF8.self)
  }
}
