internal import LoopIO
internal import PushAdmin
internal import PushModel
internal import PushQueue
internal import PushSettings
internal import PushTelemetry
internal import PushWorker
internal import RedisClient
internal import SharedState

/// Does what the JSON API offers: the verbs of the command line and what the page needs besides.
///
/// Lives on the control loop with clients of its own, so that nothing here holds up a shard. Each
/// call does a bounded part of the work: what may be long (a hundred thousand letters) comes in
/// pages, or runs as a task that the caller watches.
final class AdminDesk {
  let settings: () -> Settings
  let control: Loop
  let metrics: WorkerMetrics
  let probes: WorkerProbes
  let clock = SystemClock()
  var history = History()
  var task: LetterTask?
  /// What `invalid_tokens_dropped_total` holds.
  var invalidDropped = 0
  /// By queue: in a cluster each has its node.
  private var clients: [String: RedisClient] = [:]
  private var place: String

  /// - Parameter settings: those in force.
  init(
    _ settings: @escaping () -> Settings, on control: Loop, _ metrics: WorkerMetrics,
    _ probes: WorkerProbes
  ) {
    self.settings = settings
    self.control = control
    place = settings().redis.shownPlace
    self.metrics = metrics
    self.probes = probes
  }

  /// On the control loop.
  func answer(_ operation: AdminOperation, _ request: AdminRequest) async -> AdminReply {
    do {
      return .json(try await perform(operation, request).encoded)
    } catch let failure as AdminFailure {
      return failure.reply
    } catch let error as QueueError {
      return AdminFailure(error).reply
    } catch { return AdminFailure(500, "it failed").reply }
  }

  private func perform(
    _ operation: AdminOperation, _ request: AdminRequest
  ) async throws -> JSONValue {
    switch operation {
    case .session: session(request)
    case .stats: try await stats(request)
    case .queues: try await queues(request)
    case .workers: try await workers(request)
    case .apps: try await apps(request)
    case .history: history.json
    case .dead: try await deadList(request)
    case .deadPreview: try await deadPreview(request)
    case .deadLetter: try await deadLetter(request)
    case .deadTask: .object([("task", task?.json ?? .null)])
    case .deadStop: stopTask()
    case .deadRetry: try await deadRetry(request)
    case .deadPurge: try await deadPurge(request)
    case .invalid: try await invalid(request)
    case .invalidRelease: try await decideHeld(request, isDropping: false)
    case .invalidDrop: try await decideHeld(request, isDropping: true)
    case .scale: try await scale(request)
    case .pause: try await steer(request, isPaused: true)
    case .resume: try await steer(request, isPaused: false)
    }
  }

  /// The queue of a call, else the first; only those that this worker serves.
  func inspector(_ parameters: AdminParameters) throws -> QueueInspector {
    let known = settings().queues.map(\.name)
    let name = parameters.text("queue") ?? known[0]
    guard known.contains(name) else {
      throw AdminFailure(404, "no queue \"\(name)\"; known: \(known.joined(separator: ", "))")
    }
    return try QueueInspector(name, try client(of: name))
  }

  func inspectors() throws -> [QueueInspector] {
    try settings().queues.map { try QueueInspector($0.name, try client(of: $0.name)) }
  }

  private func client(of queue: String) throws(AdminFailure) -> RedisClient {
    let redis = settings().redis
    if redis.shownPlace != place {
      // The configuration was read again and names another Redis.
      place = redis.shownPlace
      forgetClients()
    }
    if let known = clients[queue] { return known }
    do throws(CommandFailure) {
      let client = try redis.client(for: queue, on: control, clock: clock)
      clients[queue] = client
      return client
    } catch { throw AdminFailure(500, error.messages.joined(separator: "; ")) }
  }

  private func forgetClients() {
    for client in clients.values { client.close() }
    clients = [:]
  }

  /// Ends what runs.
  func close() async {
    task?.stop()
    await task?.ended()
    forgetClients()
  }
}
