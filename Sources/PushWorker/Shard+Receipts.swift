import PushCodec
import PushModel
import SharedState

/// One attempt of a target, for its receipt.
struct Attempted {
  /// UNIX milliseconds.
  let startedAt: Int64
  /// Nanoseconds from the request to its end.
  let took: Int64
  let apnsID: [UInt8]
}

// Receipts: how each target ended, when `receipts.enabled` asks for them.
extension Shard {
  /// Notes the end of a target; a retry is none.
  func noteEnd(
    _ open: OpenItem, _ target: Int, _ decision: Decision, _ answer: Answer?,
    _ attempted: Attempted?
  ) {
    if !writesReceipts { return }
    switch decision {
    case .again, .parked: return
    case .accepted, .invalidToken, .dead, .expired: break
    }
    let (event, provider) = (open.event, open.event.targets[target].provider)
    var receipt = TargetReceipt()
    receipt.add("event", event.id)
    receipt.add("target", event.address(of: target))
    receipt.add("provider", provider.rawValue)
    receipt.add("outcome", decision.name)
    if let answer { receipt.add("status", Int64(answer.status)) }
    if let attempted, !attempted.apnsID.isEmpty {
      receipt.add("apnsId", String(decoding: attempted.apnsID, as: UTF8.self))
    }
    receipt.add(provider == .apns ? "apnsUniqueId" : "messageName", answer?.messageName ?? "")
    receipt.add("attempts", Int64(open.item.header.attempt + (attempted == nil ? 0 : 1)))
    // From the producer's moment to the attempt, and from there to its end.
    let start = attempted?.startedAt ?? clock.wall()
    receipt.add("queuedMs", max(0, start - event.sentAtMs))
    if let attempted { receipt.add("sentMs", attempted.took / 1_000_000) }
    receipt.add("traceparent", event.traceparent ?? "")
    open.receipts.append(receipt)
  }
}
