import PushCodec

/// The calls of the control port.
extension Hub {
  func answer(_ request: ControlRequest) -> ControlAnswer {
    switch (request.method, request.path) {
    case ("GET", "/received"):
      guard let since = Int64(request.since ?? "0") else {
        return .wrong(400, "since is a number")
      }
      return ControlAnswer(log.json(since: since))
    case ("DELETE", "/received"):
      clear()
      return .done
    case ("GET", "/connections"): return ControlAnswer(connectionsJSON())
    case ("GET", "/stats"): return ControlAnswer(statsJSON())
    case ("POST", "/rules"): return setRules(request.body)
    case ("POST", "/clock"): return setClock(request.body)
    case (_, "/received"), (_, "/connections"), (_, "/stats"), (_, "/rules"), (_, "/clock"):
      return .wrong(405, "no \(request.method) of \(request.path)")
    default:
      return .wrong(404, "there are /received, /connections, /stats, /rules and /clock")
    }
  }

  /// Replaces the rules in force.
  private func setRules(_ body: [UInt8]) -> ControlAnswer {
    do {
      rules = RuleBook(try RuleReader.read(body))
      return .done
    } catch {
      return .wrong(400, error.detail)
    }
  }

  /// `{"offset":S}`.
  private func setClock(_ body: [UInt8]) -> ControlAnswer {
    guard let text = JSONText(body, scanner: &scanner),
      let offset = text.member("offset", of: 0).flatMap({ text.integer($0) })
    else { return .wrong(400, "the body is {\"offset\":SECONDS}") }
    clock.offset = offset
    return .done
  }

  private func connectionsJSON() -> [UInt8] {
    var out = JSONLine()
    out.open()
    out.open("connections", array: true)
    for report in ended { report.write(to: &out) }
    for peer in peers.values.sorted(by: { $0.number < $1.number }) {
      peer.report(isOpen: true).write(to: &out)
    }
    out.close(array: true)
    out.close()
    return out.bytes
  }

  private func statsJSON() -> [UInt8] {
    var out = JSONLine()
    out.open()
    out.add("requests", totals.requests)
    out.open("answers")
    for (status, count) in totals.statuses.enumerated() where count > 0 {
      out.add(String(status), count)
    }
    out.close()
    out.open("providers")
    out.add("apns", totals.apns)
    out.add("fcm", totals.fcm)
    out.add("oauth", totals.oauth)
    out.close()
    out.add("openConnections", peers.count)
    out.add("largestInAnySecond", totals.largestInAnySecond)
    out.add("overRate", totals.overRate)
    out.add("longestStallMs", stalls.longest / 1_000_000)
    out.add("longestStallUs", stalls.longest / 1_000)
    out.add("clockOffset", clock.offset)
    out.close()
    return out.bytes
  }
}
