internal import PushCodec
package import PushModel

/// Reads what APNs answered (apns.md 7).
package enum APNsAnswer {
  /// - Parameters:
  ///   - body: may be missing, HTML or nonsense; the status decides then.
  ///   - retryAfter: the header's value; undocumented by Apple, honoured when it comes.
  ///   - uniqueID: `apns-unique-id`, which the sandbox sends.
  ///   - wall: UNIX milliseconds.
  package static func read(
    status: Int, body: [UInt8], retryAfter: [UInt8]? = nil, uniqueID: [UInt8]? = nil, wall: Int64
  ) -> (Answer, Verdict) {
    let name = uniqueID.map { String(decoding: $0, as: UTF8.self) } ?? ""
    // Nearly all of them, and nothing to read.
    if status == 200 { return (Answer(status: 200, messageName: name), .accepted) }
    let fault = Fault(body)
    var answer = Answer(
      status: status, reason: fault.reason, messageName: name,
      retryAfter: retryAfter.flatMap { RetryAfter.read($0, now: wall) })
    answer.isKnownReason = KnownReasons.apns.contains(fault.reason)
    let verdict = APNsVerdicts.judge(
      status: status, reason: fault.reason, timestamp: fault.timestamp)
    return (answer, verdict)
  }

  private struct Fault {
    var reason = ""
    var timestamp: Int64?

    init(_ body: [UInt8]) {
      guard !body.isEmpty, let text = try? JSONText(body) else { return }
      // A reason is one word; what a stranger puts there must not fill the log.
      reason = String((text.string("reason", of: text.root) ?? "").prefix(64))
      timestamp = text.integer("timestamp", of: text.root).map(Self.milliseconds)
    }

    /// What is too small to be milliseconds of this century was seconds.
    private static func milliseconds(_ value: Int64) -> Int64 {
      value > 0 && value < 100_000_000_000 ? value * 1_000 : value
    }
  }
}
