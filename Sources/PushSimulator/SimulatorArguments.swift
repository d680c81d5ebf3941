/// The flags of `allim-sim`.
package enum SimulatorArguments {
  /// What to do.
  package enum Outcome: Sendable {
    case run(SimulatorOptions)
    case help
  }

  /// Reads the arguments without the program's name; a later one wins over an earlier one.
  package static func parse(_ arguments: [String]) throws(SimulatorError) -> Outcome {
    var options = SimulatorOptions(directory: "")
    var topics: [String] = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--help" || argument == "-h" { return .help }
      if argument == "--topic" {
        topics.append(try value(of: argument, &rest))
      } else if let flag = switches.first(where: { argument == "--" + $0.0 }) {
        options[keyPath: flag.1] = true
      } else if let flag = switches.first(where: { argument == "--no-" + $0.0 }) {
        options[keyPath: flag.1] = false
      } else {
        try read(argument, &rest, into: &options)
      }
    }
    if options.directory.isEmpty { throw SimulatorError(.usage, "--dir D is needed") }
    if !topics.isEmpty { options.topics = topics }
    return .run(options)
  }

  private static var switches: [(String, WritableKeyPath<SimulatorOptions, Bool>)] {
    [
      ("count-only", \.countOnly), ("strict-streams", \.strictStreams),
      ("enforce-rate", \.enforceRate),
    ]
  }

  private static func read(
    _ name: String, _ rest: inout ArraySlice<String>, into options: inout SimulatorOptions
  ) throws(SimulatorError) {
    switch name {
    case "--dir": options.directory = try value(of: name, &rest)
    case "--rules": options.rulesFile = try value(of: name, &rest)
    case "--no-rules": options.rulesFile = nil
    case "--record": options.recordFile = try value(of: name, &rest)
    case "--no-record": options.recordFile = nil
    case "--apns-port": options.apnsPort = try port(name, &rest)
    case "--sandbox-port": options.sandboxPort = try port(name, &rest)
    case "--fcm-port": options.fcmPort = try port(name, &rest)
    case "--control-port": options.controlPort = try port(name, &rest)
    case "--keep": options.keep = Int(try number(name, &rest, 0...100_000_000))
    case "--max-streams": options.maxStreams = Int(try number(name, &rest, 1...2_147_483_647))
    case "--clock-offset":
      options.clockOffset = try number(name, &rest, -10_000_000_000...10_000_000_000)
    case "--token-ttl": options.tokenTTL = try number(name, &rest, 1...86_400)
    case "--latency": options.latency = try number(name, &rest, 0...3_600_000)
    default: throw SimulatorError(.usage, "no such flag: \(name) (see --help)")
    }
  }

  private static func value(
    of name: String, _ rest: inout ArraySlice<String>
  ) throws(SimulatorError) -> String {
    guard let value = rest.popFirst() else { throw SimulatorError(.usage, "\(name) wants a value") }
    return value
  }

  private static func port(
    _ name: String, _ rest: inout ArraySlice<String>
  ) throws(SimulatorError) -> Int {
    Int(try number(name, &rest, 0...65_535))
  }

  private static func number(
    _ name: String, _ rest: inout ArraySlice<String>, _ allowed: ClosedRange<Int64>
  ) throws(SimulatorError) -> Int64 {
    let text = try value(of: name, &rest)
    guard let number = Int64(text), allowed.contains(number) else {
      let range = "\(allowed.lowerBound) to \(allowed.upperBound)"
      throw SimulatorError(.usage, "\(name) is a whole number from \(range), not \(text)")
    }
    return number
  }

  package static let help = """
    allim-sim --dir D [flags]: APNs, FCM and Google's token endpoint on loopback, for tests.

      --dir D             folder for keys, certificates and allim.yaml; made at the first start
      --apns-port P       APNs production (2197); 0 picks a free port, as for all
      --sandbox-port P    APNs sandbox (2198)
      --fcm-port P        FCM and the token endpoint (8443)
      --control-port P    plain HTTP to set rules and to see what arrived (8090)
      --topic T           a bundle id the key may push to; repeat it (com.example.chat)
      --rules F           rules to start with, a JSON list
      --record F          append every request to F as a line of JSON
      --keep N            requests kept for GET /received (100000)
      --count-only        count requests and keep none
      --max-streams N     concurrent streams of the APNs side (1000)
      --strict-streams    one stream until the first accepted push and after a rejection
      --enforce-rate      answer 429 beyond 100 requests a second on a connection
      --clock-offset S    seconds by which the simulator's clock is ahead
      --token-ttl S       life of an access token (3599)
      --latency MS        wait before each answer (0)
      --help              this text

    Flags that are on or off, --rules and --record have a --no- form. When ready, one line of JSON
    names the ports. TERM ends it.

    """
}
