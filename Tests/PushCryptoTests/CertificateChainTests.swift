import PushCrypto
import Testing

@Suite struct CertificateChainTests {
  @Test func `a chain leads from the leaf towards the root, whatever the order`() throws {
    let root = try CertificateAuthority(name: "Root")
    let upper = try root.makeIntermediate(name: "Upper")
    let lower = try upper.makeIntermediate(name: "Lower")
    let foreign = try CertificateAuthority(name: "Other").makeIntermediate(name: "Lower")
    let client = try lower.makeClient(topic: "com.example.chat")
    let others = [root.certificate, foreign.certificate, upper.certificate, lower.certificate]
    for shuffled in [others, others.reversed()] {
      let chain = CertificateChain.ordered(from: client.certificate, among: shuffled)
      #expect(
        chain.map(\.pem) == [client.certificatePEM, lower.certificatePEM, upper.certificatePEM])
    }
    #expect(CertificateChain.ordered(from: root.certificate, among: others).count == 1)
  }

  @Test func `all certificates of a file are found, beside its key`() throws {
    let root = try CertificateAuthority()
    let client = try root.makeClient(topic: "com.example.chat")
    let all = try Certificate.all(pem: client.keyPEM + root.certificatePEM + client.certificatePEM)
    #expect(all.map(\.pem) == [root.certificatePEM, client.certificatePEM])
    #expect(all.map { $0.belongs(to: client.key) } == [false, true])
    #expect(throws: CryptoError.self) { try Certificate.all(pem: client.keyPEM) }
    let file = try client.makeP12(password: "geheim", with: [root.certificate])
    let read = try PKCS12.read(file, password: Array("geheim".utf8))
    #expect(read.certificate.pem == client.certificatePEM)
    #expect(read.authorities.map(\.pem) == [root.certificatePEM])
  }

  @Test func `the topics of Apple's extension are read, and none without it`() throws {
    let topics = [
      "com.example.chat", "com.example.chat.voip",
      "com.example." + String(repeating: "long", count: 40) + ".complication",
    ]
    let authority = try CertificateAuthority()
    let client = try authority.makeClient(topic: "com.example.chat", listing: topics)
    #expect(client.certificate.pushTopics == topics)
    #expect(try Certificate(pem: client.certificatePEM).pushTopics == topics)
    #expect(try authority.makeClient(topic: "com.example.chat").certificate.pushTopics.isEmpty)
  }
}
