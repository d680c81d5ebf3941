internal import PushCodec
internal import PushModel
internal import PushSettings

/// Decodes events as the worker will.
final class EventCheck {
  private let codec: MessageCodec
  /// A configuration without apps cannot say which exist.
  private let knowsApps: Bool

  init(_ settings: Settings) {
    codec = MessageCodec(
      rules: settings.messageRules(), credentials: Set(settings.credentials.map(\.key)))
    knowsApps = !settings.apps.isEmpty
  }

  /// What is wrong with an event, reason first; nil when it can be sent to every device.
  func fault(of event: [UInt8], now: Int64) -> String? {
    switch codec.decode(event, queueID: "", firstTaken: now, now: now) {
    case .malformed(let fault):
      if !knowsApps, fault.reason == .unknownApp { return nil }
      return "\(fault.reason.rawValue): \(fault.detail)"
    case .event(let event):
      defer { codec.recycle(event) }
      for target in 0..<event.targetCount {
        guard let fault = event.fault(of: target) else { continue }
        if !knowsApps, fault.reason == .noCredential { continue }
        return "\(fault.reason.rawValue): \(fault.detail)"
      }
      return nil
    }
  }
}
