internal import LoopIO
internal import PushAdmin
internal import PushQueue
internal import PushSettings
internal import PushTelemetry

// The HTTP side of the worker: the page, its API, probes and metrics.
extension WorkerProcess {
  func makeDesk(_ probes: WorkerProbes) -> AdminDesk {
    AdminDesk({ [unowned self] in settings }, on: control, metrics, probes)
  }

  func startAdmin(_ probes: WorkerProbes, _ desk: AdminDesk) throws(CommandFailure) -> AdminServer {
    let wanted: AdminAddress =
      settings.admin.listen.map { .fixed(host: $0.host, port: $0.port) } ?? .automatic
    let (token, isMade) = try adminToken()
    let access = AdminAccess(
      token: token, isReadOnly: settings.admin.readOnly,
      metricsNeedToken: settings.admin.metricsToken)
    do {
      let server = try AdminServer(wanted, state(probes, desk), access)
      // A token of the configuration is known to whom it concerns; this one is not.
      if isMade {
        log.info("the page", [.url: .text("http://\(server.address)/#token=\(token)")])
      }
      return server
    } catch {
      throw CommandFailure(.misuse, "admin.listen: \(error.description)")
    }
  }

  private func adminToken() throws(CommandFailure) -> (token: String, isMade: Bool) {
    guard let file = settings.admin.tokenFile else {
      let made = AdminToken.make(in: EmbeddedRedis.folder)
      if !made.isKept {
        log.warning(
          "the admin token could not be written, and is another at the next start",
          [.path: .text(EmbeddedRedis.folder + "/" + AdminToken.fileName)])
      }
      return (made.token, true)
    }
    do { return (try AdminToken.read(file), false) } catch {
      throw CommandFailure(.misuse, "admin.tokenFile: \(error.description)")
    }
  }

  private func state(_ probes: WorkerProbes, _ desk: AdminDesk) -> AdminState {
    var state = probes.admin
    let (control, desk, log) = (control, LoopBound(desk), log)
    state.perform = { operation, request in
      await Task(executorPreference: control) {
        await desk.value.answer(operation, request)
      }.value
    }
    state.audit = { operation, request, status in
      log.info(
        "a call that changes something",
        [
          .kind: .text(operation.rawValue), .address: .text(request.peer),
          .status: .count(status),
          .detail: .text(status < 300 ? AdminParameters.audited(request) : ""),
        ])
    }
    return state
  }

  /// Fills the charts, and lets go of clients that drip their requests.
  func startCharts(_ desk: AdminDesk, _ admin: AdminServer) -> Task<Void, Never> {
    let (control, desk) = (control, LoopBound(desk))
    // `work` cancels it and waits for it.
    return Task(executorPreference: control) {
      while !Task.isCancelled {
        await desk.value.noteFigures()
        admin.dropSlowClients()
        try? await control.sleep(.seconds(History.seconds))
      }
    }
  }
}
