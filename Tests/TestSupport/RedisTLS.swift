package import PushCrypto

/// What redis-servers of a test need to speak TLS with clients and with each other.
package struct RedisTLS: Sendable {
  /// The authority's certificate.
  package let caFile: String
  private let files: [(key: String, path: String)]

  /// Writes a certificate for `localhost` and 127.0.0.1, its key and the authority into `folder`.
  package init(in folder: TemporaryFolder, _ authority: CertificateAuthority) throws {
    let identity = try authority.makeServer()
    // Nodes of a cluster show it to each other.
    let client = try authority.makeClient(topic: "redis")
    caFile = folder.file("ca.pem")
    files = [
      ("tls-cert-file", folder.file("server.pem")), ("tls-key-file", folder.file("server.key")),
      ("tls-client-cert-file", folder.file("client.pem")),
      ("tls-client-key-file", folder.file("client.key")), ("tls-ca-cert-file", caFile),
    ]
    write(Array(identity.certificatePEM), to: files[0].path)
    write(Array(identity.keyPEM), to: files[1].path)
    write(Array(client.certificatePEM), to: files[2].path)
    write(Array(client.keyPEM), to: files[3].path)
    write(Array(authority.certificatePEM), to: caFile)
  }

  /// Names and values of a configuration with this port, which asks no client for a certificate.
  private func settings(port: Int) -> [(key: String, value: String)] {
    [
      ("port", "0"), ("tls-port", String(port)), ("tls-auth-clients", "no"),
      ("tls-replication", "yes"),
    ] + files.map { ($0.key, $0.path) }
  }

  func words(port: Int) -> [String] {
    settings(port: port).flatMap { ["--\($0.key)", $0.value] }
  }

  func lines(port: Int) -> [String] { settings(port: port).map { "\($0.key) \($0.value)" } }
}
