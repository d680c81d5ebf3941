internal import PushModel
internal import PushQueue
internal import PushWorker

/// Looks at one queue.
struct QueueExamination {
  private let queue: QueueInspector
  private let credentials: [CredentialKey]
  private let fixes: Bool

  init(_ queue: QueueInspector, _ credentials: [CredentialKey], fixes: Bool) {
    self.queue = queue
    self.credentials = credentials
    self.fixes = fixes
  }

  func findings() async throws(QueueError) -> [Finding] {
    let subject = "queue \(queue.name)"
    let stats = try await queue.stats(parkedOf: credentials)
    var findings: [Finding] = []
    if stats.instances == 0 {
      findings.append(
        .warning(
          subject, "no worker holds a lease; \(stats.ready) events wait", "start one: allim run"))
    }
    if stats.invalidHeld > 0 {
      findings.append(
        .warning(
          subject, "\(stats.invalidHeld) device tokens are held by the brake",
          "look whether an app's topic or key is wrong: allim invalid held list"))
    }
    return findings
  }
}
