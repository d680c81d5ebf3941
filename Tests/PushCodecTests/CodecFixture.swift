import PushModel
import Testing

@testable import PushCodec

/// A codec over one app with all credentials, and the moments of its tests.
struct CodecFixture {
  static let tokenA = String(repeating: "aa", count: 32)
  static let tokenB = String(repeating: "bb", count: 32)
  static let fcmToken = "fInv1:APA91bINVENTED0001"
  static let fid = "epeBEsobvcr6wjGzmiPcTa"
  /// UNIX seconds of `sentAt`; `now` is one second later.
  static let sentAt: Int64 = 1_764_489_600
  static let now: Int64 = 1_764_489_601_000

  let codec: MessageCodec

  /// A device of each kind.
  static let iphone = #"{"platform":"ios","token":"\#(tokenA)"}"#
  static let caller =
    #"{"platform":"ios","token":"\#(tokenA)","voipToken":"\#(tokenB)"}"#
  static let android = #"{"platform":"android","token":"\#(fcmToken)"}"#
  static let relayed = #"{"platform":"ios","fid":"\#(fid)"}"#
  static let browser = #"{"platform":"web","token":"\#(fcmToken)"}"#

  init(_ change: (inout MessageRules) -> Void = { _ in }, without: Set<CredentialKey> = []) {
    var app = AppRules(name: "chat")
    app.apns = AppRules.APNsRules(topic: "com.example.chat")
    app.fcm = AppRules.FCMRules(projectID: "example-project")
    var rules = MessageRules(apps: [app])
    change(&rules)
    var credentials: Set<CredentialKey> = []
    for app in rules.apps {
      credentials.insert(CredentialKey(app: app.name, provider: .apns))
      credentials.insert(
        CredentialKey(app: app.name, provider: .apns, environment: .sandbox))
      credentials.insert(CredentialKey(app: app.name, provider: .fcm))
    }
    codec = MessageCodec(rules: rules, credentials: credentials.subtracting(without))
  }

  /// `{…,"sentAt":…,"devices":[…]}` of the fields given.
  static func event(_ fields: String, _ devices: String...) -> String {
    let list = devices.joined(separator: ",")
    return #"{\#(fields),"sentAt":\#(sentAt),"devices":[\#(list)]}"#
  }

  func decode(_ text: String, now: Int64 = CodecFixture.now) -> DecodedItem {
    decode([UInt8](text.utf8), now: now)
  }

  func decode(_ bytes: [UInt8], now: Int64 = CodecFixture.now) -> DecodedItem {
    codec.decode(bytes, queueID: "q-1", firstTaken: CodecFixture.now, now: now)
  }

  func event(_ text: String) throws -> DecodedEvent {
    switch decode(text) {
    case .event(let event): return event
    case .malformed(let fault): throw Unexpected("\(fault)")
    }
  }

  func fault(_ text: String) throws -> ItemFault {
    switch decode(text) {
    case .event: throw Unexpected("decoded: \(text)")
    case .malformed(let fault): return fault
    }
  }

  /// The request for one target of an event that must be sendable.
  func request(_ text: String, target: Int = 0) throws -> PushRequest {
    try built(text, target: target).request
  }

  func built(
    _ text: String, target: Int = 0, now: Int64 = CodecFixture.now
  ) throws -> (request: PushRequest, notes: BuildNotes) {
    let event = try event(text)
    defer { codec.recycle(event) }
    let request = PushRequest()
    switch codec.build(event, target: target, now: now, into: request) {
    case .built(let notes):
      if request.provider == .fcm { #expect(DiscoveryChecker.problems(request.body) == []) }
      return (request, notes)
    case .failed(let reason, let detail): throw Unexpected("\(reason): \(detail)")
    case .expired: throw Unexpected("expired")
    }
  }

  /// The fault that stops a target, at decoding or at building.
  func failure(_ text: String, target: Int = 0) throws -> EventFault {
    let event = try event(text)
    defer { codec.recycle(event) }
    let request = PushRequest()
    switch codec.build(event, target: target, now: Self.now, into: request) {
    case .failed(let reason, let detail): return EventFault(reason, detail)
    case .built: throw Unexpected("built: \(request.text)")
    case .expired: throw Unexpected("expired")
    }
  }

  struct Unexpected: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }
}

extension PushRequest {
  var text: String { String(decoding: body, as: UTF8.self) }
  var topicText: String { String(decoding: topic, as: UTF8.self) }
  var collapseText: String { String(decoding: collapseID, as: UTF8.self) }
}
