internal import PushModel
internal import PushQueue
internal import PushWorker

/// Looks at one queue, and mends what can be mended when it is asked to.
struct QueueExamination {
  private let queue: QueueInspector
  private let credentials: [CredentialKey]
  private let fixes: Bool

  init(_ queue: QueueInspector, _ credentials: [CredentialKey], fixes: Bool) {
    self.queue = queue
    self.credentials = credentials
    self.fixes = fixes
  }

  private var subject: String { "queue \(queue.name)" }

  func findings() async throws(QueueError) -> [Finding] {
    let found = try await queue.examine(credentials: credentials)
    // On a key of another type every command fails, so that nothing more can be asked.
    guard found.wrongTypes.isEmpty else { return found.wrongTypes.map(wrongType) }
    return try await figures() + (try await remains(found)) + parked(found)
  }

  private func wrongType(_ wrong: QueueFindings.WrongType) -> Finding {
    .error(
      subject, "\(wrong.key) is a \(wrong.found) and must be a \(wrong.expected)",
      "find out who writes it; rename or delete the key")
  }

  private func figures() async throws(QueueError) -> [Finding] {
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

  /// What instances that are gone left behind. A lease that is over is taken over by any worker
  /// within seconds; what has no lease at all nobody looks for.
  private func remains(_ found: QueueFindings) async throws(QueueError) -> [Finding] {
    guard found.isMendable else { return [] }
    if fixes {
      let items = try await queue.mend(found)
      return [.note(subject, "mended: \(items) items of instances that are gone are back")]
    }
    var findings: [Finding] = []
    let orphaned = found.orphans.values.reduce(0, +)
    if !found.orphans.isEmpty {
      findings.append(
        .error(
          subject, "\(orphaned) items lie with \(found.orphans.count) instances without a lease",
          "give them back: allim doctor --fix"))
    }
    if !found.lapsed.isEmpty {
      findings.append(
        .warning(
          subject, "\(found.lapsed.count) leases are over and not taken over yet",
          "a running worker does it within seconds; without one: allim doctor --fix"))
    }
    if !found.staleReports.isEmpty {
      findings.append(
        .note(
          subject, "\(found.staleReports.count) reports of instances that are gone",
          "remove them: allim doctor --fix"))
    }
    return findings
  }

  private func parked(_ found: QueueFindings) -> [Finding] {
    found.unknownParked.map { list in
      .warning(
        subject,
        "\(found.parked[list] ?? 0) items wait in \(list), whose credential is not configured",
        "configure the app again, or nobody draws from it")
    }
  }
}
