/// What the JSON API can do; each has one method and one path below `/api/v1`.
package enum AdminOperation: String, CaseIterable, Sendable {
  case session, stats, queues, workers, apps, history
  case dead
  case deadPreview = "dead/preview"
  case deadLetter = "dead/letter"
  case deadTask = "dead/task"
  case deadStop = "dead/task/stop"
  case deadRetry = "dead/retry"
  case deadPurge = "dead/purge"
  case invalid
  case invalidRelease = "invalid/release"
  case invalidDrop = "invalid/drop"
  case scale, pause, resume

  package static let prefix = "/api/v1/"

  package var path: String { Self.prefix + rawValue }

  /// Changes something; needs the token everywhere and is audited.
  package var isChange: Bool {
    switch self {
    case .session, .stats, .queues, .workers, .apps, .history, .dead, .deadPreview, .deadLetter,
      .deadTask, .invalid:
      false
    case .deadStop, .deadRetry, .deadPurge, .invalidRelease, .invalidDrop, .scale, .pause, .resume:
      true
    }
  }

  package var method: String { isChange ? "POST" : "GET" }
}
