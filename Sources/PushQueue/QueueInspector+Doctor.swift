package import PushModel
package import PushWorker
internal import RedisClient

/// What a look at one queue's keys found, for a person or a verb that mends.
package struct QueueFindings: Sendable, Equatable {
  /// Keys that hold something else than they should: every command on them fails.
  package var wrongTypes: [WrongType] = []
  /// Instances whose items nobody returns, since they have no lease, with how many they hold.
  package var orphans: [String: Int] = [:]
  /// Leases that are over and were not taken over yet, with how many items their owners hold.
  package var lapsed: [String: Int] = [:]
  /// Instances with a lease that never told of themselves: not yet, or they cannot write.
  package var silent: [String] = []
  /// Reports of instances that have no lease.
  package var staleReports: [String] = []
  /// Lengths of all parked lists, by key.
  package var parked: [String: Int] = [:]
  /// First take (UNIX milliseconds of the server) of the head of each parked list, by key.
  package var parkedSince: [String: Int64] = [:]
  /// Parked lists of credentials that are not configured: nobody draws from them.
  package var unknownParked: [String] = []
  /// Suspects at the head of their list, with their crashes.
  package var suspects: [Int] = []
  /// Parts of the list of dead letters that scripts did not put there or take: positive = taken by
  /// others.
  package var deadTaken = 0
  package var deadWaiting = 0
  /// The server's UNIX milliseconds at the look.
  package var serverTime: Int64 = 0

  package struct WrongType: Sendable, Equatable {
    package let key: String
    package let found: String
    package let expected: String
  }

  package init() {}

  /// True when a verb could mend something by itself.
  package var isMendable: Bool { !orphans.isEmpty || !lapsed.isEmpty || !staleReports.isEmpty }
}

extension QueueInspector {
  /// Looks at all keys of the queue. It walks over the keys of the database once (SCAN), which costs
  /// Redis little at a time and may take seconds where there are millions.
  package func examine(credentials: [CredentialKey]) async throws(QueueError) -> QueueFindings {
    var findings = QueueFindings()
    let time = try await call(RedisCommand("TIME")).array?.compactMap(\.text) ?? []
    if time.count == 2, let seconds = Int64(time[0]), let micros = Int64(time[1]) {
      findings.serverTime = seconds * 1_000 + micros / 1_000
    }
    findings.wrongTypes = try await wrongTypes()
    guard findings.wrongTypes.isEmpty else { return findings }
    try await examineInstances(&findings)
    try await examineParked(&findings, credentials)
    for item in try await slice(keys.suspects, 0, 32) {
      findings.suspects.append(ItemHeader.split(item)?.header.crashes ?? 0)
    }
    let counters = try await call(RedisCommand("HGETALL", keys.counters)).pairs
    findings.deadTaken = counters[QueueCounter.deadTaken].flatMap { Int($0) } ?? 0
    findings.deadWaiting = counters[QueueCounter.deadWaiting].flatMap { Int($0) } ?? 0
    return findings
  }

  private func wrongTypes() async throws(QueueError) -> [QueueFindings.WrongType] {
    var wrong: [QueueFindings.WrongType] = []
    for (key, expected) in keys.types {
      let found = try await call(RedisCommand("TYPE", key)).text ?? ""
      if found != "none", found != expected {
        wrong.append(.init(key: key, found: found, expected: expected))
      }
    }
    return wrong
  }

  private func examineInstances(_ findings: inout QueueFindings) async throws(QueueError) {
    let scores = RedisCommand("ZRANGE", keys.leases, "0", "-1", "WITHSCORES")
    let leases = try await call(scores).pairs.compactMapValues { Double($0) }
    let reports = Set(try await call(RedisCommand("HKEYS", keys.instances)).texts)
    for (instance, end) in leases where end < Double(findings.serverTime) {
      findings.lapsed[instance] = try await held(by: instance)
    }
    findings.silent = leases.keys.filter { !reports.contains($0) }.sorted()
    findings.staleReports = reports.filter { leases[$0] == nil }.sorted()
    for key in try await scan(keys.inflight("")) {
      let instance = String(key.dropFirst(keys.inflight("").count))
      if leases[instance] == nil { findings.orphans[instance] = try await held(by: instance) }
    }
  }

  private func held(by instance: String) async throws(QueueError) -> Int {
    try await call(RedisCommand("HKEYS", keys.inflight(instance))).texts.count { Int($0) != nil }
  }

  private func examineParked(
    _ findings: inout QueueFindings, _ credentials: [CredentialKey]
  ) async throws(QueueError) {
    let known = Set(credentials.map { keys.parked($0) })
    for key in try await scan(keys.parkedStart) {
      findings.parked[key] = Int(try await call(RedisCommand("LLEN", key)).integer ?? 0)
      let head = try await call(RedisCommand("LINDEX", key, "0")).bytes
      findings.parkedSince[key] = head.flatMap { ItemHeader.split($0)?.header.firstTaken }
      if !known.contains(key) { findings.unknownParked.append(key) }
    }
    findings.unknownParked.sort()
  }

  /// Returns the items of instances without a lease or whose lease is over, as a worker would, and
  /// removes what they left behind; how many items are back.
  package func mend(_ findings: QueueFindings) async throws(QueueError) -> Int {
    var returned = 0
    let gone = Set(findings.orphans.keys).union(findings.lapsed.keys)
      .union(findings.staleReports)
    for instance in gone.sorted() {
      let calls = ScriptCalls(keys: keys, instance: "", settings: QueueSettings())
      var isDone = false
      while !isDone {
        let reply = try await client.call(calls.recover(instance)).orThrow()
        let counts = reply.array?.compactMap(\.integer) ?? []
        guard counts.count == 2 else { break }
        returned += Int(counts[0])
        isDone = counts[1] == 0
      }
    }
    return returned
  }

  /// Puts the items of a parked list back to the tail of the queue, oldest first, at most `count`;
  /// how many. For lists of credentials that nobody has any more: their events then become dead
  /// letters, or are sent by whatever serves the app now.
  package func unpark(_ list: String, count: Int) async throws(QueueError) -> Int {
    guard list.hasPrefix(keys.parkedStart) else { return 0 }
    var call = ScriptCall(QueueScripts.unpark, keys: [list, keys.ready])
    call.arguments.append(min(count, 500))
    return Int(try await client.call(call).orThrow().integer ?? 0)
  }

  /// All keys that begin with `start`, by SCAN, which may name one twice.
  private func scan(_ start: String) async throws(QueueError) -> [String] {
    var found: Set<String> = []
    var cursor = "0"
    let pattern = Self.literal(start) + "*"
    repeat {
      let scan = RedisCommand("SCAN", cursor, "MATCH", pattern, "COUNT", "1000")
      let fields = try await call(scan).array ?? []
      guard fields.count == 2 else { break }
      cursor = fields[0].text ?? "0"
      found.formUnion(fields[1].texts)
    } while cursor != "0"
    return found.sorted()
  }

  /// A queue's name may hold what a pattern means otherwise.
  private static func literal(_ text: String) -> String {
    text.reduce(into: "") { pattern, character in
      if "*?[]\\^-".contains(character) { pattern.append("\\") }
      pattern.append(character)
    }
  }
}

extension RedisReply {
  fileprivate var texts: [String] { array?.compactMap(\.text) ?? [] }
}
