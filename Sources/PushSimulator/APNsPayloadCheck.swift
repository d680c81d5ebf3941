import PushCodec
import PushModel

/// Size and content of the JSON body against its push type (protocol/apns.md 4 and 9).
enum APNsPayloadCheck {
  /// Before the body is read: empty, or more bytes than the push type may have.
  static func checkSize(_ bytes: Int, pushType: PushType?) throws(APNsRefusal) {
    if bytes == 0 { throw APNsRefusal(.payloadEmpty) }
    let limit = pushType?.maximumBodyBytes ?? PushType.alert.maximumBodyBytes
    if bytes > limit { throw APNsRefusal(.payloadTooLarge) }
  }

  /// Apple documents no reason of its own for a body that is not a JSON object, nor for one that
  /// does not fit its push type ("an error, a delay or a silent drop"): here they are
  /// PayloadEmpty and InvalidPushType, so that a test sees the fault.
  static func check(_ body: JSONText?, pushType: PushType?) throws(APNsRefusal) {
    guard let body, body.kind(0) == .object else { throw APNsRefusal(.payloadEmpty) }
    let aps = body.member("aps", of: 0)
    if let aps, body.kind(aps) != .object { throw APNsRefusal(.payloadEmpty) }
    guard let pushType else { return }
    guard fits(body, aps, pushType) else { throw APNsRefusal(.invalidPushType) }
  }

  private static func fits(_ body: JSONText, _ aps: Int?, _ pushType: PushType) -> Bool {
    switch pushType {
    case .alert: aps.map { shows(body, $0) } ?? false
    case .background: aps.map { wakesSilently(body, $0) } ?? false
    case .controls, .widgets: aps.flatMap { body.member("content-changed", of: $0) } != nil
    case .liveactivity: aps.map { isLiveActivity(body, $0) } ?? false
    case .mdm: body.member("mdm", of: 0) != nil
    case .complication, .fileprovider, .location, .pushtotalk, .voip: true
    }
  }

  private static func shows(_ body: JSONText, _ aps: Int) -> Bool {
    body.given("alert", of: aps) != nil || body.given("badge", of: aps) != nil
      || body.given("sound", of: aps) != nil
  }

  private static func wakesSilently(_ body: JSONText, _ aps: Int) -> Bool {
    guard let flag = body.member("content-available", of: aps) else { return false }
    return body.integer(flag) == 1 && !shows(body, aps)
  }

  /// protocol/apns.md 10: a start has its attributes and an alert beside what all have.
  private static func isLiveActivity(_ body: JSONText, _ aps: Int) -> Bool {
    guard let event = body.member("event", of: aps), body.given("timestamp", of: aps) != nil
    else { return false }
    if body.isString(event, "end") { return true }
    guard body.given("content-state", of: aps) != nil else { return false }
    if body.isString(event, "update") { return true }
    return body.isString(event, "start") && body.given("attributes-type", of: aps) != nil
      && body.given("attributes", of: aps) != nil && body.given("alert", of: aps) != nil
  }
}
