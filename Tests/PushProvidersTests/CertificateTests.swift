import HTTP2
import LoopIO
import PushCrypto
import PushModel
import PushSettings
import PushSimulator
import PushTelemetry
import PushWorker
import TestSupport
import Testing

@testable import PushProviders

/// Certificates instead of keys (apns.md 6), against the simulator, which asks for them.
@Suite struct CertificateTests {
  private static let key = CredentialKey(app: "chat", provider: .apns)

  private static func settings(
    _ folder: TemporaryFolder, port: Int = 1, file: String, password: String? = nil
  ) -> Settings {
    var secret = Settings.TokenKey()
    secret.certificateFile = folder.file(file)
    if let password {
      write(bytes(password), to: folder.file("password"))
      secret.passwordFile = folder.file("password")
    }
    return .chat(secret, port: port, caFile: folder.file("ca.pem"))
  }

  private func withSimulator(
    _ body: @escaping @Sendable (Loop, TemporaryFolder, Int) async throws -> Void
  ) async throws {
    try await onLoop { loop in
      let folder = TemporaryFolder()
      let options = SimulatorOptions(in: folder, strictStreams: true)
      let simulator = try await Simulator.start(options, on: loop)
      try await body(loop, folder, await simulator.ports.apns)
      await simulator.stop()
    }
  }

  private func push(_ type: PushType = .alert, topic: String = "com.example.chat") -> PushRequest {
    let request = PushRequest()
    request.deviceToken = bytes(String(repeating: "ab", count: 32))
    request.topic = bytes(topic + type.topicSuffix)
    request.pushType = type
    request.body = bytes(#"{"aps":{"alert":"Hello"}}"#)
    return request
  }

  @Test(arguments: ["client.p12", "client.pem"])
  func `a certificate sends without a bearer, to its own topics alone`(file: String) async throws {
    try await withSimulator { loop, folder, port in
      let settings = Self.settings(
        folder, port: port, file: file, password: file == "client.p12" ? "allim\r\n" : nil)
      let metrics = WorkerMetrics()
      let credentials = try ProviderCredentials(settings, metrics: metrics)
      #expect(credentials.expiries.count == 2)
      #expect(
        metrics.registry.render().contains(
          #"allim_credential_expiry_timestamp_seconds{app="chat",kind="certificate"}"#))
      let factory = ProviderFactory(
        settings, credentials, metrics: metrics, logger: Logger(level: .error))
      let set = factory.makeProviders(on: loop, shard: 0, of: 1)
      let provider = try #require(set.providers[Self.key])
      for type in [PushType.alert, .voip] {
        #expect(await provider.send(push(type)).verdict == .accepted)
      }
      let foreign = push(topic: "com.example.other")
      #expect(await provider.send(foreign).verdict == .pauseCredential(.topic))
      // The topic rests; the rest of the credential does not.
      #expect(await provider.send(foreign).neverSent == .paused)
      #expect(await provider.send(push()).verdict == .accepted)
      #expect(provider.gate == .open)
      await set.shutDown()
    }
  }

  /// APNs knows the roots alone: what lies between must come with the certificate.
  @Test(arguments: ["push.p12", "push.pem"])
  func `the certificates between ours and a root are shown too`(file: String) async throws {
    try await onLoop { loop in
      let folder = TemporaryFolder()
      let (ours, root) = (try CertificateAuthority(), try CertificateAuthority(name: "Root"))
      let upper = try root.makeIntermediate(name: "Upper")
      let lower = try upper.makeIntermediate(name: "Lower")
      let client = try lower.makeClient(topic: "com.example.chat")
      write(ours.certificatePEM, to: folder.file("ca.pem"))
      write(root.certificatePEM, to: folder.file("root.pem"))
      let others = [root.certificate, upper.certificate, lower.certificate]
      write(try client.makeP12(password: "geheim", with: others), to: folder.file("push.p12"))
      write(
        client.keyPEM + others.flatMap(\.pem) + client.certificatePEM, to: folder.file("push.pem"))
      let issued = try ours.makeServer()
      let server = try ScriptedServer(
        on: loop,
        tls: try TLSContext.server(
          identity: TLSIdentity(
            certificateChainPEM: issued.certificatePEM, privateKeyPEM: issued.keyPEM),
          alpn: ["h2"], asksForClientCertificate: true, clientCAFile: folder.file("root.pem")))
      let settings = Self.settings(
        folder, port: server.listener?.port ?? 0, file: file,
        password: file == "push.p12" ? "geheim" : nil)
      let set = ProviderFactory(
        settings, try ProviderCredentials(settings), metrics: WorkerMetrics(),
        logger: Logger(level: .error)
      ).makeProviders(on: loop, shard: 0, of: 1)
      let provider = try #require(set.providers[Self.key])
      #expect(await provider.send(push()).verdict == .accepted)
      #expect(server.connections.first?.peerCertificate != nil)
      await set.shutDown()
    }
  }

  @Test func `a certificate of other topics is a problem, a subject of another a warning`() throws {
    let folder = TemporaryFolder()
    let authority = try CertificateAuthority()
    write(authority.certificatePEM, to: folder.file("ca.pem"))
    func credentials(
      _ topic: String, _ listed: [String]
    ) throws(ProviderCredentials.Refusal) -> ProviderCredentials {
      let made = try? authority.makeClient(topic: topic, listing: listed)
      write(made?.combinedPEM ?? [], to: folder.file("push.pem"))
      return try ProviderCredentials(Self.settings(folder, file: "push.pem"))
    }
    let voip = "com.example.chat.voip"
    #expect(try credentials("com.example.chat", []).warnings.isEmpty)
    #expect(try credentials(voip, []).warnings.isEmpty)
    #expect(try credentials("other", ["com.example.other", voip]).warnings.isEmpty)
    // One file serves both environments, and is told of once.
    let warnings = try credentials("com.example.other", []).warnings
    #expect(warnings.count == 1)
    #expect(warnings.first?.error.text.contains("names the topic com.example.other, not") == true)
    do throws(ProviderCredentials.Refusal) {
      _ = try credentials("com.example.chat", ["com.example.chats", "com.example.chat.else"])
      Issue.record("it was accepted")
    } catch {
      #expect(error.problems.count == 1)
      #expect(error.problems.first?.settingsKey == "apps.chat.apns.production.certificateFile")
      let text = error.problems.first?.error.text ?? ""
      #expect(
        text.hasSuffix(
          "push.pem: the certificate is for com.example.chats, com.example.chat.else, not for "
            + "the app's topic com.example.chat"))
    }
  }

  @Test func `what is wrong with a file is named at the start, and shows no key`() throws {
    let folder = TemporaryFolder()
    let authority = try CertificateAuthority()
    let client = try authority.makeClient(topic: "com.example.chat")
    let other = try authority.makeClient(topic: "com.example.chat")
    write(authority.certificatePEM, to: folder.file("ca.pem"))
    write(try client.makeP12(password: "geheim"), to: folder.file("new.p12"))
    let old = Base64.decode(bytes(OldContainer.base64).filter { $0 > 0x20 })
    write(try #require(old), to: folder.file("old.p12"))
    write(client.certificatePEM, to: folder.file("alone.pem"))
    write(client.certificatePEM + other.keyPEM, to: folder.file("mixed.pem"))
    let cases = [
      ("new.p12", nil, "no passwordFile is set"), ("new.p12", "falsch", "does not open"),
      ("old.p12", "geheim", "openssl pkcs12 -legacy"), ("alone.pem", nil, "no private key"),
      ("mixed.pem", nil, "of another certificate"), ("none.pem", nil, "No such file"),
    ]
    for (file, password, words) in cases {
      do throws(ProviderCredentials.Refusal) {
        _ = try ProviderCredentials(Self.settings(folder, file: file, password: password))
        Issue.record("\(file) was accepted")
      } catch {
        let problem = try #require(error.problems.first)
        #expect(problem.settingsKey == "apps.chat.apns.production.certificateFile")
        #expect(problem.error.text.contains(file) && problem.error.text.contains(words))
        #expect(!problem.error.text.contains("MII") && !problem.error.text.contains("geheim"))
      }
    }
  }
}

/// A container as old keychains exported them: RC2-40, made by `openssl pkcs12 -export -legacy`
/// with the password `geheim` around a key made for this test.
enum OldContainer {
  static let base64 = """
    MIIDwgIBAzCCA4gGCSqGSIb3DQEHAaCCA3kEggN1MIIDcTCCAmcGCSqGSIb3DQEHBqCCAlgwggJUAgEAMIICTQYJ
    KoZIhvcNAQcBMBwGCiqGSIb3DQEMAQYwDgQI3T13/vtRWakCAggAgIICIIknZRLdbDRPFyX4igwz3JBQr3xA9BRG
    fh+P03NbXcyQJlKVfpmL9tcp2TLeAjNXLDQ5lZWfbaWFbMuTNiKrHFPgW8z2gM4U/e7v/tn0fW/uVDO3pyFwfK/C
    aPzpa6ZGiHfyVR8Q2vaieuLVm7HO948URuuBQ00gtAgUjaCD6UuHj5R0fSDQmkgbfj4S5LH487sKAwR630ojJXBi
    RCQYVBCWYQo+ipJmf0JbQRIKVnv3L/n6cJejcEg/nzTibM0AvgLXJOlf+h3wEbfC2yU0uik/PQQhx9m0jfzpDBJw
    e6FH/XlxbYozA3Ku2QA3pIKhgGAGwY0n8yZsyOgnWPlgF8pqdPSFZtKp8K87BJv9wkwuXkNuOqckOxbkpZm5jN9g
    H+0W+T7E17FANFn8w+cVXzYCTQVBuOaglMGBe2VyNEod+ykJV9nX2KMA9O8na+XxGqTRrFaYIJbLAeHnu5g7HtYK
    p6HpwZU2Fcz7nbZHj3yexx5hcU8elZM21z3+RS/Cj+dRt8K69qEn0xvwDSzhf38+TWUmb+BnvaaWNiX4DBdOrlxR
    3mB22gj+AMACnmMMgoyF873EIdyKxO8n+dGhv8AsSvb43Ymy1HkfbQHMrkgT2ZNehlcIfTRlfYkMMa/37WmyIbru
    Q8lfQprI85dzuiFpey/rCwX1ZNCF7cZ/8/o6p3YhF+OJgEfZwKP96rMw8Bd92RI3xMdySVLrcicXv5UwggECBgkq
    hkiG9w0BBwGggfQEgfEwge4wgesGCyqGSIb3DQEMCgECoIG0MIGxMBwGCiqGSIb3DQEMAQMwDgQIf3Si7lzPNp4C
    AggABIGQ+WBWdjpd/ONNKg05mHWID2O857DPmidh98g/sr4Tw9PLNVGTAX2JFYAOto0VcmMDQmAkReE1ogLSp+CG
    hgSwCGFkJ25Aqtoa4XhM94uzQrhU9Dvu+OFbRJDlfEY+3zV6nlE0Zcv4JvjjdWAp2yvFXPI+4187ldJls98GGuD8
    792KgY+vfDPdlYSm8gNBQWEaMSUwIwYJKoZIhvcNAQkVMRYEFJUI0mbKN/YEC6ZodU7of3V7TytUMDEwITAJBgUr
    DgMCGgUABBR5jCGgesAecE3eTn9lEUp0g5GkCgQIgucp7zB3ukwCAggA
    """
}
