internal import PushModel
internal import PushWorker
internal import RedisClient

/// Arguments of the scripts, as their comments describe them.
struct ScriptCalls {
  let keys: QueueKeys
  let instance: String
  let settings: QueueSettings

  private var leaseMilliseconds: Int64 { settings.lease.milliseconds }

  func join() -> ScriptCall { lease(QueueScripts.join) }

  func beat() -> ScriptCall { lease(QueueScripts.beat) }

  private func lease(_ script: RedisScript) -> ScriptCall {
    var call = ScriptCall(script, keys: [keys.leases])
    call.arguments.append(instance)
    call.arguments.append(leaseMilliseconds)
    return call
  }

  func take(_ order: TakeOrder, first: Receipt) -> ScriptCall {
    var call = ScriptCall(
      QueueScripts.take,
      keys: [
        keys.leases, keys.ready, keys.delayed, keys.suspects, keys.inflight(instance), keys.control,
        keys.counters, keys.chunks, keys.dead,
      ] + order.parked.map { keys.parked($0.credential) })
    call.arguments.append(instance)
    call.arguments.append(order.want)
    call.arguments.append(settings.takeBytes)
    call.arguments.append(Int64(first))
    appendDead(to: &call.arguments)
    for parked in order.parked { call.arguments.append(parked.most) }
    return call
  }

  func settle(_ settlements: ArraySlice<Settlement>, _ book: ReceiptBook) -> ScriptCall {
    var parked: [String] = []
    for settlement in settlements {
      for case .parked(let credential, _) in settlement.leaves {
        let key = keys.parked(credential)
        if !parked.contains(key) { parked.append(key) }
      }
    }
    var call = ScriptCall(QueueScripts.settle, keys: leavingKeys + parked)
    call.arguments.append(settings.invalidMax)
    call.arguments.append(settings.receiptsMax)
    appendDead(to: &call.arguments)
    for settlement in settlements {
      call.arguments.append(Int64(settlement.receipt))
      if let marks = book.marks(of: settlement.receipt) {
        call.arguments.append(-1 - settlement.leaves.count)
        call.arguments.append(marks)
      } else {
        call.arguments.append(settlement.leaves.count)
      }
      for leaving in settlement.leaves { append(leaving, parked, to: &call.arguments) }
    }
    return call
  }

  func progress(_ progress: ItemProgress, after marks: String?) -> ScriptCall {
    let parked: [String] = progress.leaves.compactMap {
      if case .parked(let credential, _) = $0 { keys.parked(credential) } else { nil }
    }
    var call = ScriptCall(QueueScripts.progress, keys: leavingKeys + parked)
    call.arguments.append(settings.invalidMax)
    call.arguments.append(settings.receiptsMax)
    appendDead(to: &call.arguments)
    call.arguments.append(Int64(progress.receipt))
    call.arguments.append(progress.done.text)
    call.arguments.append(marks ?? "")
    for leaving in progress.leaves { append(leaving, parked, to: &call.arguments) }
    return call
  }

  private var leavingKeys: [String] {
    [
      keys.inflight(instance), keys.delayed, keys.dead, keys.invalid, keys.held, keys.counters,
      keys.receipts,
    ]
  }

  /// At most 100.
  func dropDead(before moment: Int64) -> ScriptCall {
    var call = ScriptCall(QueueScripts.dropDead, keys: [keys.dead, keys.counters])
    call.arguments.append(moment)
    call.arguments.append(100)
    call.arguments.append(QueueCounter.deadDropped)
    return call
  }

  private func appendDead(to arguments: inout RedisCommand) {
    arguments.append(settings.deadMax)
    arguments.append(settings.deadMaxBytes)
    arguments.append(settings.whenDeadFull == .dropOldest ? 1 : 0)
  }

  private func append(_ leaving: Leaving, _ parked: [String], to arguments: inout RedisCommand) {
    switch leaving {
    case .again(let moment, let header):
      arguments.append("a")
      arguments.append(moment)
      arguments.append(header.line)
    case .deadLetter(let reason, let letter):
      arguments.append("d")
      arguments.append(reason.rawValue)
      arguments.append(letter)
    case .invalidToken(let record):
      arguments.append("i")
      arguments.append("")
      arguments.append(record)
    case .heldToken(let record):
      arguments.append("h")
      arguments.append("")
      arguments.append(record)
    case .parked(let credential, let header):
      let key = keys.parked(credential)
      arguments.append("k")
      arguments.append(leavingKeys.count + 1 + (parked.firstIndex(of: key) ?? 0))
      arguments.append(header.line)
    case .receipt(let receipt):
      let words = receipt.fields.flatMap { [$0.name, $0.value] }
      arguments.append("r")
      arguments.append(words.map { String($0.utf8.count) }.joined(separator: ","))
      arguments.append(words.joined())
    }
  }

  func split(_ step: SplitStep, after marks: String?) -> ScriptCall {
    var call = ScriptCall(
      QueueScripts.split, keys: [keys.inflight(instance), keys.chunks, keys.ready])
    call.arguments.append(Int64(step.receipt))
    call.arguments.append(step.done.text)
    call.arguments.append(step.isLast ? 1 : 0)
    call.arguments.append(marks ?? "")
    for chunk in step.chunks { call.arguments.append(Array(chunk.header.line.utf8) + chunk.bytes) }
    return call
  }

  func putBack(_ receipts: ArraySlice<Receipt>) -> ScriptCall {
    var call = ScriptCall(
      QueueScripts.putBack, keys: [keys.inflight(instance), keys.ready, keys.suspects])
    for receipt in receipts { call.arguments.append(Int64(receipt)) }
    return call
  }

  func release() -> ScriptCall {
    var call = ScriptCall(
      QueueScripts.release,
      keys: [
        keys.leases, keys.instances, keys.inflight(instance), keys.ready, keys.suspects,
        keys.control,
      ])
    appendPage(of: instance, to: &call.arguments)
    return call
  }

  func recover(_ dead: String) -> ScriptCall {
    var call = ScriptCall(
      QueueScripts.recover,
      keys: [
        keys.leases, keys.instances, keys.inflight(dead), keys.ready, keys.suspects, keys.control,
        keys.counters,
      ])
    appendPage(of: dead, to: &call.arguments)
    return call
  }

  /// At most 500 items and 1 MB a call, so that Redis is never held up for long.
  private func appendPage(of instance: String, to arguments: inout RedisCommand) {
    arguments.append(instance)
    arguments.append(500)
    arguments.append(1_048_576)
  }
}

extension Duration {
  var milliseconds: Int64 {
    components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
  }
}
