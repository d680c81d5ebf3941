import LoopIO
import SharedState

/// Finds the node of a cluster that owns one slot.
///
/// All keys of a queue lie in one slot, so one owner is all the map that is needed. It is learnt
/// from any node, remembered, and corrected by MOVED; when the owner is gone or the cluster is
/// down, the other nodes are asked again, once for all who wait.
final class ClusterFinder: ServerFinder {
  private let connector: ServerConnector
  let slot: Int
  private var owner: Endpoint?
  /// Those of the URL and those that were heard of; the one that answered last is asked first.
  private var nodes: [Endpoint]
  /// To the node that a slot is moving to.
  private var aside: RedisConnection?

  init(_ connector: ServerConnector, slot: Int) {
    self.connector = connector
    self.slot = slot
    nodes = connector.url.endpoints
  }

  func connect() async throws(RedisError) -> RedisConnection {
    if let owner {
      if let aside, aside.isOpen, aside.endpoint == owner {
        self.aside = nil
        return aside
      }
      do {
        return try await connector.connect(to: owner, within: .seconds(2))
      } catch {
        self.owner = nil
        demote(owner)
        if error.code == .cancelled { throw error }
      }
    }
    let found = try await findOwner()
    let connection = try await connector.connect(to: found, within: .seconds(5))
    owner = found
    return connection
  }

  func redirected(by error: RedisError, from connection: RedisConnection) -> Bool {
    owner = error.code == .moved ? error.redirect(from: connection.endpoint) : nil
    // A node that says CLUSTERDOWN may be the one that is cut off.
    if owner == nil { demote(connection.endpoint) }
    return owner != connection.endpoint
  }

  private func demote(_ node: Endpoint) {
    nodes.removeAll { $0 == node }
    nodes.append(node)
  }

  // MARK: Asking

  private func findOwner() async throws(RedisError) -> Endpoint {
    var trouble = RedisError(.unreachable, "no node of the cluster answers")
    for node in nodes {
      do throws(RedisError) {
        return try await ask(node)
      } catch {
        if error.code == .cancelled { throw error }
        trouble = RedisError(error.code, "node \(node): \(error.detail)")
      }
    }
    throw trouble
  }

  private func ask(_ node: Endpoint) async throws(RedisError) -> Endpoint {
    let connection = try await connector.connect(to: node, within: .seconds(2))
    defer { connection.close() }
    let reply = await connection.call(RedisCommand("CLUSTER", "SLOTS"), timeout: .seconds(2))
    if case .error(let error) = reply {
      // Who may not see the map is sent to the owner by MOVED.
      if error.code == .noPermission { return node }
      throw error
    }
    let ranges = (reply.array ?? []).compactMap { ClusterRange($0, askedAt: node) }
    remember(ranges, node)
    guard let range = ranges.first(where: { $0.slots.contains(slot) }) else {
      throw RedisError(.clusterDown, "slot \(slot) has no owner")
    }
    return range.owner
  }

  private func remember(_ ranges: [ClusterRange], _ answering: Endpoint) {
    var known = [answering]
    for node in ranges.flatMap(\.nodes) + nodes where !known.contains(node) { known.append(node) }
    // Nodes that left the cluster must not pile up.
    nodes = Array(known.prefix(64))
  }

  // MARK: A slot on its way

  /// A connection to the node that a key may have gone to already (ASK).
  func connection(askedBy error: RedisError, from: Endpoint) async throws(RedisError)
    -> RedisConnection
  {
    guard let endpoint = error.redirect(from: from) else { throw error }
    if let aside, aside.isOpen, aside.endpoint == endpoint { return aside }
    let made = try await connector.connect(to: endpoint, within: .seconds(2))
    aside?.retire()
    aside = made
    return made
  }

  func close() {
    aside?.close()
    aside = nil
  }
}

/// One entry of CLUSTER SLOTS: first and last slot, then nodes as host, port, …; the owner first.
struct ClusterRange {
  let slots: ClosedRange<Int>
  let nodes: [Endpoint]

  var owner: Endpoint { nodes[0] }

  init?(_ reply: RedisReply, askedAt asked: Endpoint) {
    guard let fields = reply.array, fields.count >= 3, let first = fields[0].integer,
      let last = fields[1].integer, first >= 0, first <= last, last < 16_384
    else { return nil }
    slots = Int(first)...Int(last)
    let places = fields[2...].map { Self.place($0, asked) }
    guard let owner = places.first, owner != nil else { return nil }
    nodes = places.compactMap { $0 }
  }

  private static func place(_ reply: RedisReply, _ asked: Endpoint) -> Endpoint? {
    guard let fields = reply.array, fields.count >= 2, let port = fields[1].integer,
      (1...65_535).contains(port)
    else { return nil }
    return asked.atHost(fields[0].text ?? "", port: Int(port))
  }
}

extension Endpoint {
  /// A node that does not know its own name leaves it out: then it is where it was asked. "?" is
  /// one that has none yet.
  func atHost(_ host: String, port: Int) -> Endpoint? {
    if host == "?" { return nil }
    if !host.isEmpty { return .tcp(host: host, port: port) }
    guard case .tcp(let host, _) = self else { return nil }
    return .tcp(host: host, port: port)
  }
}

extension RedisError {
  /// Where MOVED and ASK lead: "MOVED 3999 127.0.0.1:6381", perhaps behind other words.
  func redirect(from node: Endpoint) -> Endpoint? {
    let words = detail.split(separator: " ")
    guard let code = words.firstIndex(where: { $0.hasSuffix("MOVED") || $0.hasSuffix("ASK") }),
      code + 2 < words.count, let colon = words[code + 2].lastIndex(of: ":"),
      let port = Int(words[code + 2][words[code + 2].index(after: colon)...]),
      (1...65_535).contains(port)
    else { return nil }
    return node.atHost(String(words[code + 2][..<colon]), port: port)
  }
}
