internal import CAllocations
internal import Glibc
internal import PushCodec
internal import PushModel

/// Times decoding and building alone, in nanoseconds of this thread's CPU, and counts how often
/// memory is asked for; prints one JSON object (MEASURES, `micro`).
func runMicro() {
  var bench = MicroBench()
  let apns = SampleEvent(number: 1, sentAt: MicroBench.sentAt).item
  let fcm = bench.behindFCM(apns)
  let decode = bench.time { $0.decode(apns) }
  let both = bench.time { $0.decodeAndBuild(apns) }
  let fcmDecode = bench.time { $0.decode(fcm) }
  let fcmBoth = bench.time { $0.decodeAndBuild(fcm) }
  let list = bench.list(devices: 10_000)
  let perList = bench.time(rounds: 50) { $0.decode(list) }
  print(
    """
    {"eventBytes":\(apns.count),"decodeNs":\(decode),"buildApnsNs":\(both - decode),\
    "buildFcmNs":\(fcmBoth - fcmDecode),"allocationsPerPush":\(bench.allocationsPerPush(apns)),\
    "listMegabytesPerSecond":\(list.count * 1_000 / max(1, perList))}
    """)
}

/// A codec with what its measurements share.
struct MicroBench {
  static let sentAt: Int64 = 1_764_489_600

  private let now = Self.sentAt * 1_000 + 500
  private let codec: MessageCodec
  private let request = PushRequest()

  init() {
    var app = AppRules(name: "chat")
    app.apns = AppRules.APNsRules(topic: "com.example.chat")
    app.fcm = AppRules.FCMRules(projectID: "example-project")
    codec = MessageCodec(
      rules: MessageRules(apps: [app]),
      credentials: [
        CredentialKey(app: "chat", provider: .apns), CredentialKey(app: "chat", provider: .fcm),
      ])
  }

  func decode(_ item: [UInt8]) {
    if let event = event(item) { codec.recycle(event) }
  }

  mutating func decodeAndBuild(_ item: [UInt8]) {
    guard let event = event(item) else { return }
    _ = codec.build(event, target: 0, now: now, into: request)
    codec.recycle(event)
  }

  private func event(_ item: [UInt8]) -> DecodedEvent? {
    guard
      case .event(let event) = codec.decode(
        item, queueID: "bench", firstTaken: now, now: now)
    else { return nil }
    return event
  }

  /// The best of five series, since others share the machine; nanoseconds a round.
  mutating func time(rounds: Int = 20_000, _ body: (inout MicroBench) -> Void) -> Int {
    var best = Int64.max
    for _ in 0..<5 {
      let begin = Self.cpuTime()
      for _ in 0..<rounds { body(&self) }
      best = min(best, Self.cpuTime() - begin)
    }
    return Int(best) / rounds
  }

  /// In steady state, to two places; -1 where it cannot be counted.
  mutating func allocationsPerPush(_ item: [UInt8]) -> Double {
    for _ in 0..<100 { decodeAndBuild(item) }
    let begin = allocations()
    if begin < 0 { return -1 }
    for _ in 0..<1_000 { decodeAndBuild(item) }
    return Double((allocations() - begin) / 10) / 100
  }

  private static func cpuTime() -> Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}

// Items.
extension MicroBench {
  /// The same event to the same phone by way of FCM.
  func behindFCM(_ item: [UInt8]) -> [UInt8] {
    let text = String(decoding: item, as: UTF8.self)
    return [UInt8](
      text.replacing(#""provider":"apns""#, with: #""provider":"fcm""#)
        .replacing(#""token":"00"#, with: #""fid":"e0"#).utf8)
  }

  /// One event to many phones.
  func list(devices: Int) -> [UInt8] {
    let list = (0..<devices).map { number in
      let token = String(repeating: "0", count: 56) + String(10_000_000 + number)
      return #"{"platform":"ios","provider":"apns","token":"\#(token)"}"#
    }
    let devices = list.joined(separator: ",")
    return [UInt8](#"{"type":"notice","title":"News","devices":[\#(devices)]}"#.utf8)
  }
}
