import Glibc
import PushCrypto
import Testing

@Suite struct CertificateAuthorityTests {
  private let now = Int64(time(nil))

  @Test func `a server certificate stands for this machine`() throws {
    let authority = try CertificateAuthority(name: "Some authority")
    let server = try authority.makeServer()
    #expect(server.certificate.alternativeNames == ["localhost", "127.0.0.1", "0:0:0:0:0:0:0:1"])
    #expect(server.certificate.issuer == "CN=Some authority")
    #expect(server.certificate.notBefore < now)
    #expect(abs(server.certificate.notAfter - now - 730 * 86_400) < 60)
    #expect(server.key.kind == .p256)
  }

  @Test func `an expired one and one of tomorrow are as wished`() throws {
    let authority = try CertificateAuthority()
    #expect(try authority.makeServer(validity: .expired).certificate.notAfter < now)
    #expect(try authority.makeServer(validity: .notYet).certificate.notBefore > now)
    let other = try authority.makeServer(names: ["other.example"]).certificate
    #expect(other.alternativeNames == ["other.example"])
  }

  @Test func `a client certificate carries its topic`() throws {
    let client = try CertificateAuthority().makeClient(topic: "com.example.chat")
    #expect(client.certificate.userID == "com.example.chat")
    #expect(client.certificate.subject.contains("UID=com.example.chat"))
    let again = try Certificate(pem: client.combinedPEM)
    #expect(again.subject == client.certificate.subject)
    #expect(again.commonName == "Apple Push Services: com.example.chat")
  }

  @Test func `PKCS 12 opens with its password alone`() throws {
    let client = try CertificateAuthority().makeClient(topic: "com.example.chat")
    let file = try client.makeP12(password: "geheim")
    let read = try PKCS12.read(file, password: bytes("geheim"))
    #expect(read.keyPEM == client.keyPEM)
    #expect(read.certificate.pem == client.certificatePEM)
    #expect(read.authorities.isEmpty)
    do throws(CryptoError) {
      _ = try PKCS12.read(file, password: bytes("falsch"))
      Issue.record("opened")
    } catch { #expect(error.code == .wrongPassword) }
    #expect(throws: CryptoError.self) { try PKCS12.read([1, 2, 3], password: []) }
  }

  @Test func `an authority comes back from its files`() throws {
    let first = try CertificateAuthority()
    let second = try CertificateAuthority(
      certificatePEM: first.certificatePEM, keyPEM: first.key.pem)
    #expect(try second.makeServer().certificate.issuer == first.certificate.subject)
    #expect(second.certificatePEM == first.certificatePEM)
  }

  @Test func `the public key of a certificate is that of its key`() throws {
    let server = try CertificateAuthority().makeServer()
    #expect(server.certificate.publicKey.pem == server.key.publicKey.pem)
    #expect(try PublicKey(pem: server.chainPEM).pem == server.key.publicKey.pem)
  }

  @Test(arguments: ["", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"])
  func `what is no certificate is refused`(file: String) {
    #expect(throws: CryptoError.self) { try Certificate(pem: bytes(file)) }
  }

  @Test func `an RSA key has 2,048 bits and signs`() throws {
    let key = try PrivateKey.makeRSA2048()
    #expect(key.kind == .rsa)
    #expect(try key.signRS256([1]).count == 256)
  }
}
