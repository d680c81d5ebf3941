import PushCrypto
import Testing

@Suite struct KeyFileTests {
  private static let plain = RFC7515.ecKey
  private static let oneLine = plain.split(separator: "\n").dropFirst().dropLast().joined()

  @Test(arguments: [
    plain,
    RFC7515.ecKeySEC1,
    plain.replacing("\n", with: "\r\n"),
    plain.replacing("\n", with: "\r"),
    String(plain.dropLast()),
    "-----BEGIN PRIVATE KEY-----\n\(oneLine)\n-----END PRIVATE KEY-----\n",
    "-----BEGIN PRIVATE KEY-----\(oneLine)-----END PRIVATE KEY-----",
    oneLine,
    plain.replacing("\n", with: "\\n"),
    plain.replacing("\n", with: "\\r\\n"),
    plain.replacing("\n", with: "\\\\n"),
    plain.replacing("\n", with: " "),
    "\u{FEFF}\n\n" + plain,
    "\"" + plain + "\"",
    "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n"
      + RFC7515.ecKeySEC1,
  ])
  func `a sound key is read however its line breaks were mangled`(file: String) throws {
    let key = try PrivateKey(pem: bytes(file))
    #expect(key.kind == .p256)
    let token = try JWT.es256(header: bytes("{}"), claims: bytes("{}"), key: key)
    let parts = try #require(JWT(compact: token))
    let known = try PrivateKey(pem: bytes(RFC7515.ecKey)).publicKey
    #expect(known.verifyES256(parts.signature, of: parts.signingInput))
  }

  @Test func `PKCS 1 and PKCS 8 of RSA are the same key`() throws {
    let one = try PrivateKey(pem: bytes(RFC7515.rsaKeyPKCS1))
    let eight = try PrivateKey(pem: bytes(RFC7515.rsaKey))
    #expect(one.kind == .rsa)
    #expect(one.pem == eight.pem)
  }

  @Test(arguments: [RFC7515.ecKeyEncrypted, RFC7515.ecKeyEncryptedSEC1])
  func `an encrypted key opens with its password alone`(file: String) throws {
    #expect(throws: CryptoError.self) { try PrivateKey(pem: bytes(file)) }
    do throws(CryptoError) {
      _ = try PrivateKey(pem: bytes(file))
    } catch { #expect(error.code == .encrypted) }
    do throws(CryptoError) {
      _ = try PrivateKey(pem: bytes(file), password: bytes("falsch"))
      Issue.record("opened by a wrong password")
    } catch { #expect(error.code == .wrongPassword) }
    let key = try PrivateKey(pem: bytes(file), password: bytes("geheim"))
    #expect(key.pem == (try PrivateKey(pem: bytes(RFC7515.ecKey))).pem)
  }

  @Test(arguments: [
    "", "hello", "-----BEGIN PRIVATE KEY-----", plain.replacing("MIGH", with: "MIGA"),
    plain.replacing("END PRIVATE", with: "END PUBLIC"), String(plain.prefix(100)),
    "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n",
    "-----BEGIN PRIVATE KEY-----\n:\n-----END PRIVATE KEY-----\n",
  ])
  func `what is no key is refused without showing it`(file: String) {
    do throws(CryptoError) {
      _ = try PrivateKey(pem: bytes(file))
      Issue.record("accepted")
    } catch {
      #expect(error.code == .notAKey || error.code == .encrypted)
      #expect(!error.detail.contains("MIG") && !error.detail.contains("Qgjps"))
    }
  }

  @Test func `no damage to a key file crashes its reader`() {
    let sound = [RFC7515.ecKey, RFC7515.rsaKeyPKCS1, RFC7515.ecKeyEncryptedSEC1].map(bytes)
    for round in 0..<300 {
      var file = sound[round % sound.count]
      for _ in 0...round % 4 { file[.random(in: file.indices)] = .random(in: 0...255) }
      if round.isMultiple(of: 5) { file = Array(file.prefix(.random(in: 0...file.count))) }
      _ = try? PrivateKey(pem: file, password: round.isMultiple(of: 2) ? bytes("geheim") : nil)
      _ = try? PublicKey(pem: file)
    }
  }

  @Test func `a certificate in place of its key is named`() throws {
    let authority = try CertificateAuthority()
    do throws(CryptoError) {
      _ = try PrivateKey(pem: authority.certificatePEM)
      Issue.record("accepted")
    } catch { #expect(error.detail.contains("CERTIFICATE")) }
  }

  @Test func `a key beside its certificate is found`() throws {
    let client = try CertificateAuthority().makeClient(topic: "com.example.chat")
    #expect(try PrivateKey(pem: client.combinedPEM).pem == client.keyPEM)
  }

  @Test func `a key of another kind says so when it is to sign`() throws {
    let other = try PrivateKey(pem: bytes(RFC7515.p384Key))
    #expect(other.kind == .other("EC secp384r1"))
    #expect(throws: CryptoError.self) { try other.signES256([1]) }
    #expect(throws: CryptoError.self) { try other.signRS256([1]) }
    #expect(throws: CryptoError.self) { try PrivateKey(pem: bytes(RFC7515.ecKey)).signRS256([1]) }
  }
}
