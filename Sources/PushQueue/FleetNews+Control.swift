package import PushWorker

extension FleetNews {
  /// Reads the `control` hash.
  mutating func read(_ wishes: [String: String], of instance: String) {
    let own = wishes[ControlField.workers(of: instance)]
    let wish = own ?? wishes[ControlField.workers]
    isForInstance = own != nil
    wantedWorkers = wish.flatMap { Int($0) }
    wantsAutoWorkers = wish == ControlField.auto
    // Told by take only: a beat changes nothing here.
    if let waiting = wishes[QueueCounter.deadWaiting] { deadLettersWaiting = Int(waiting) ?? 0 }
    isPaused = wishes[ControlField.paused] != nil
    let app = ControlField.paused(app: "")
    pausedApps = wishes.keys.filter { $0.hasPrefix(app) }.map { String($0.dropFirst(app.count)) }
      .sorted()
  }
}

extension InstanceStatus {
  /// `name=value` lines, as the `instances` hash keeps them.
  package var text: String {
    "host=\(host)\nversion=\(version)\ncapacity=\(capacity)\nbusy=\(busy)\nadmin=\(adminAddress)"
  }

  package init(text: String) {
    self.init()
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { continue }
      let value = String(parts[1])
      switch parts[0] {
      case "host": host = value
      case "version": version = value
      case "capacity": capacity = Int(value) ?? 0
      case "busy": busy = Int(value) ?? 0
      case "admin": adminAddress = value
      default: break
      }
    }
  }
}
