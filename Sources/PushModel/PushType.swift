/// The eleven values of `apns-push-type` with what Apple ties to each (protocol/apns.md 4).
package enum PushType: String, Sendable, Hashable, CaseIterable {
  case alert, background, complication, controls, fileprovider, liveactivity, location, mdm
  case pushtotalk, voip, widgets

  /// What follows the bundle id in `apns-topic`.
  package var topicSuffix: String {
    switch self {
    case .alert, .background, .mdm: ""
    case .complication: ".complication"
    case .controls: ".push-type.controls"
    case .fileprovider: ".pushkit.fileprovider"
    case .liveactivity: ".push-type.liveactivity"
    case .location: ".location-query"
    case .pushtotalk: ".voip-ptt"
    case .voip: ".voip"
    case .widgets: ".push-type.widgets"
    }
  }

  /// The largest body in bytes (protocol/apns.md 9).
  package var maximumBodyBytes: Int { self == .voip ? 5_120 : 4_096 }
}
