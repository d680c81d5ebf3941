/// The `allim.yaml` that makes a worker use this simulator.
enum ConfigurationFile {
  static let name = "allim.yaml"

  /// A file that begins with this is the simulator's own and follows its ports at each start.
  static let mark = "# Written by allim-sim at each start. Delete this line to keep changes."

  static func text(topic: String, ports: SimulatorPorts) -> String {
    """
    \(mark)
    redis: {url: embedded}
    apps:
      chat:
        apns:
          topic: \(topic)
          production:
            keyFile: \(SimulatorIdentity.providerKeyFile)
            keyId: \(ProviderKey.keyID)
            teamId: \(ProviderKey.teamID)
        fcm:
          serviceAccountFile: service-account.json
          projectId: \(ServiceAccount.projectID)
    endpoints:
      apnsProduction: localhost:\(ports.apns)
      apnsSandbox: localhost:\(ports.sandbox)
      fcm: localhost:\(ports.fcm)
      oauth: https://localhost:\(ports.fcm)/token
      caFile: \(SimulatorIdentity.caFile)

    """
  }
}

/// Where the simulator listens.
package struct SimulatorPorts: Sendable, Equatable {
  package var apns = 0
  package var sandbox = 0
  package var fcm = 0
  package var control = 0
}
