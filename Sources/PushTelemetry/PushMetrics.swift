internal import PushModel

/// The handles of one app and provider; resolved once, kept by the lanes. A class, since a copy of
/// so many references would cost two counts each at every push.
package final class PushMetrics: Sendable {
  // `pushes_total`: exactly one of them for each target.
  package let accepted: Counter
  package let invalidToken: Counter
  package let dead: Counter
  package let expired: Counter
  package let cancelled: Counter

  // `attempts_total` by class of status.
  package let answered2xx: Counter
  package let answered4xx: Counter
  package let answered5xx: Counter
  /// Requests without an answer: never sent, or lost on the way.
  package let unanswered: Counter

  package let providerTokensMade: Counter
  package let parked: Gauge
  package let brake: Gauge
  package let breakerOpen: Gauge
  package let connectionsOpening: Gauge
  package let connectionsReady: Gauge
  package let connectionsDraining: Gauge
  /// Most requests that one connection started in any second, by the pools' own stamps.
  package let largestStarts: Gauge

  init(_ registry: MetricRegistry, app: String, provider: Provider) {
    let provider = provider.rawValue
    func push(_ outcome: String) -> Counter {
      registry.counter(
        "pushes", help: "Targets that reached their end, by outcome.",
        ["app": app, "provider": provider, "outcome": outcome])
    }
    func attempt(_ status: String) -> Counter {
      registry.counter(
        "attempts", help: "Requests to the provider, by class of answer.",
        ["app": app, "provider": provider, "status_class": status])
    }
    func gauge(_ name: String, _ help: String) -> Gauge {
      registry.gauge(name, help: help, ["app": app, "provider": provider])
    }
    func connections(_ state: String) -> Gauge {
      registry.gauge(
        "connections", help: "Connections to the provider, by state.",
        ["app": app, "provider": provider, "state": state])
    }
    accepted = push("accepted")
    invalidToken = push("invalid_token")
    dead = push("dead")
    expired = push("expired")
    cancelled = push("cancelled")
    answered2xx = attempt("2xx")
    answered4xx = attempt("4xx")
    answered5xx = attempt("5xx")
    unanswered = attempt("none")
    providerTokensMade = registry.counter(
      "provider_tokens_made", help: "Provider tokens signed or fetched.",
      ["app": app, "provider": provider])
    parked = gauge("parked_items", "Items that wait for a paused or broken credential.")
    brake = gauge("mass_invalidation_brake", "1 while feedback of tokens is held.")
    breakerOpen = gauge("breaker_open", "1 while the credential is not used.")
    connectionsOpening = connections("opening")
    connectionsReady = connections("ready")
    connectionsDraining = connections("draining")
    largestStarts = gauge(
      "connection_starts_max", "Most requests that a connection started in any second.")
  }

  /// Counts a push that was accepted.
  package func noteAccepted() {
    answered2xx.add()
    accepted.add()
  }

  /// The attempt counter of an HTTP status.
  package func attempts(status: Int) -> Counter {
    switch status {
    case 200..<300: answered2xx
    case 400..<500: answered4xx
    default: answered5xx
    }
  }
}
