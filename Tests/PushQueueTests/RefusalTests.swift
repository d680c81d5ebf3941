import LoopIO
import PushModel
import PushWorker
import RedisClient
import TestSupport
import Testing

@testable import PushQueue

/// Redis does not roll back a script of which a command is refused. Each script is refused at each
/// of its writes, by a permission that is taken away and by a key of another type; then that is
/// mended, and the same call is made again. Nothing may be lost, and in the end everything lies
/// where it lies without the refusal.
@Suite(.redis) struct RefusalTests {
  @Test(arguments: RefusalScene.all)
  func `a script that is refused in its middle loses nothing`(_ scene: RefusalScene) async throws {
    let server = try await RedisServer()
    let url = server.url
    try await onLoop { loop in
      let play = Play(scene, loop, url)
      let unhindered = try await play.run(nil).after
      var refused = 0
      for refusal in Refusal.all {
        let seen = try await play.run(refusal)
        refused += seen.wasRefused ? 1 : 0
        let difference = Play.difference(seen, unhindered)
        #expect(difference == nil, "\(scene.name), \(refusal): \(difference ?? "")")
      }
      #expect(refused >= 2, "\(scene.name)")
    }
    await server.stop()
  }

  @Test func `an error names the command and the key that were refused`() async throws {
    let server = try await RedisServer()
    let url = server.url
    try await onLoop { loop in
      let stage = try RedisStage(loop, url)
      let queue = try await stage.worker()
      try await stage.push("one")
      try await stage.call("ACL", "SETUSER", "default", "-hset")
      let denied = await #expect(throws: QueueError.self) { try await queue.take(1) }
      #expect(denied?.detail.contains("'HSET', inflight") == true, "\(denied?.detail ?? "")")
      try await stage.call("ACL", "SETUSER", "default", "+hset")
      try await stage.call("SET", stage.keys.chunks, "no list")
      let wrong = await #expect(throws: QueueError.self) { try await queue.take(1) }
      #expect(wrong?.detail.contains("'LLEN', chunks") == true, "\(wrong?.detail ?? "")")
    }
    await server.stop()
  }
}

/// What makes Redis refuse a command.
private enum Refusal: CustomStringConvertible {
  case verb(String)
  case key(String, @Sendable (QueueKeys) -> String)

  static let all: [Refusal] =
    [
      "hset", "hdel", "hincrby", "rpush", "lpush", "lpop", "ltrim", "lrem", "zadd", "zrem", "xadd",
      "del",
    ].map { .verb($0) } + [
      .key("ready") { $0.ready }, .key("chunks") { $0.chunks }, .key("delayed") { $0.delayed },
      .key("suspects") { $0.suspects }, .key("dead") { $0.dead }, .key("invalid") { $0.invalid },
      .key("held") { $0.held }, .key("counters") { $0.counters },
      .key("receipts") { $0.receipts }, .key("control") { $0.control },
      .key("instances") { $0.instances }, .key("inflight") { $0.inflight("a") },
      .key("parked") { $0.parked(parkedCredential) },
      .key("parked, sandbox") { $0.parked(sandboxCredential) },
    ]

  var description: String {
    switch self {
    case .verb(let verb): "without \(verb)"
    case .key(let name, _): "\(name) of another type"
    }
  }

  func begin(_ stage: RedisStage) async throws {
    switch self {
    case .verb(let verb): try await stage.call("ACL", "SETUSER", "default", "-\(verb)")
    case .key(_, let key):
      let key = key(stage.keys)
      _ = await stage.admin.call(RedisCommand("RENAME", key, key + ".aside"))
      try await stage.call("SET", key, "of another type")
    }
  }

  func end(_ stage: RedisStage) async throws {
    switch self {
    case .verb(let verb): try await stage.call("ACL", "SETUSER", "default", "+\(verb)")
    case .key(_, let key):
      let key = key(stage.keys)
      try await stage.call("DEL", key)
      _ = await stage.admin.call(RedisCommand("RENAME", key + ".aside", key))
    }
  }
}

/// One scene, played on a fresh queue each time.
private final class Play {
  struct Seen {
    var wasRefused = false
    var before = Stored()
    /// After the refused call, with the refusal ended.
    var between = Stored()
    /// After the call was made again.
    var after = Stored()
  }

  private let scene: RefusalScene
  private let loop: Loop
  private let url: RedisURL

  init(_ scene: RefusalScene, _ loop: Loop, _ url: RedisURL) {
    self.scene = scene
    self.loop = loop
    self.url = url
  }

  func run(_ refusal: Refusal?) async throws -> Seen {
    let stage = try RedisStage(loop, url)
    let queue = try await stage.worker("a", scene.settings)
    let act = try await scene.prepare(stage, queue)
    var seen = Seen()
    seen.before = try await stage.stored()
    guard let refusal else {
      try await act()
      seen.after = try await stage.stored()
      return seen
    }
    try await refusal.begin(stage)
    // Thrice, as a worker goes on trying while it lasts.
    var isDone = false
    for _ in 0..<3 where !isDone {
      do {
        try await act()
        isDone = true
      } catch {
        seen.wasRefused = true
      }
    }
    try await refusal.end(stage)
    seen.between = try await stage.stored()
    if !isDone { try await act() }
    seen.after = try await stage.stored()
    return seen
  }

  private static func live(_ stored: Stored) -> [String] {
    stored.ready + stored.chunks + stored.delayed + stored.suspects + stored.parked
      + stored.sandboxParked + stored.taken
  }

  /// What is wrong; nil = nothing. Letters and records may be there twice.
  static func difference(_ seen: Seen, _ unhindered: Stored) -> String? {
    let ended = Set(live(seen.before)).subtracting(live(unhindered))
    for item in Set(live(seen.before)).subtracting(live(seen.between))
    where !ended.contains(item) { return "\(item) is gone: \(seen.between)" }
    if let fault = ModelLedger.letterFault(seen.after) { return fault }
    let after = withoutRepeats(seen.after)
    let expected = withoutRepeats(unhindered)
    return after == expected ? nil : "\(after)\ninstead of\n\(expected)\nbetween\n\(seen.between)"
  }

  private static func withoutRepeats(_ stored: Stored) -> Stored {
    var stored = stored
    func once(_ texts: [String]) -> [String] { Set(texts).sorted() }
    stored.dead = once(stored.dead)
    stored.invalid = once(stored.invalid)
    stored.held = once(stored.held)
    if let receipt = stored.receipts.first { stored.receipts = [receipt] }
    stored.counters = [:]
    return stored
  }
}
