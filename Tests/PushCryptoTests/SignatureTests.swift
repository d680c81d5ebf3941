import PushCrypto
import Testing

@Suite struct SignatureTests {
  @Test func `the ES256 token of RFC 7515 A 3 verifies, by key file and by point`() throws {
    let token = try #require(JWT(compact: bytes(RFC7515.ecToken)))
    #expect(text(token.header) == #"{"alg":"ES256"}"#)
    let ofFile = try PrivateKey(pem: bytes(RFC7515.ecKey)).publicKey
    let x = try #require(Base64.decodeURL(bytes(RFC7515.ecX)))
    let y = try #require(Base64.decodeURL(bytes(RFC7515.ecY)))
    let ofPoint = try PublicKey(x: x, y: y)
    #expect(ofFile.pem == ofPoint.pem)
    for key in [ofFile, ofPoint, try PublicKey(pem: ofFile.pem)] {
      #expect(key.verifyES256(token.signature, of: token.signingInput))
      #expect(!key.verifyES256(token.signature, of: token.signingInput + [0]))
      #expect(!key.verifyRS256(token.signature, of: token.signingInput))
      var bent = token.signature
      bent[63] ^= 1
      #expect(!key.verifyES256(bent, of: token.signingInput))
    }
  }

  @Test func `RS256 gives the very bytes of RFC 7515 A 2`() throws {
    let token = try #require(JWT(compact: bytes(RFC7515.rsaToken)))
    let key = try PrivateKey(pem: bytes(RFC7515.rsaKey))
    #expect(try key.signRS256(token.signingInput) == token.signature)
    #expect(key.publicKey.verifyRS256(token.signature, of: token.signingInput))
    #expect(!key.publicKey.verifyES256(token.signature, of: token.signingInput))
    let again = try JWT.rs256(header: token.header, claims: token.claims, key: key)
    #expect(text(again) == RFC7515.rsaToken)
  }

  @Test func `a thousand ES256 signatures have 64 bytes and verify, short numbers among them`()
    throws
  {
    let key = try PrivateKey.makeP256()
    let verifier = key.publicKey
    var short = 0
    for number in 0..<1_000 {
      let message = bytes("message \(number)")
      let signature = try key.signES256(message)
      #expect(signature.count == 64)
      #expect(verifier.verifyES256(signature, of: message))
      if signature[0] == 0 || signature[32] == 0 { short += 1 }
    }
    // 1,000 tries of 1 in 128: none at all has a chance of 1 in 2,500.
    #expect(short > 0)
  }

  @Test(arguments: ["", ".", "a.b", "a.b.c.d", "!.e30.e30", "e30.e30.e30=x"])
  func `what is no compact token is refused`(input: String) {
    #expect(JWT(compact: bytes(input)) == nil)
  }

  @Test func `a DER signature is no ES256 signature`() throws {
    let der = try #require(
      Base64.decodeURL(
        bytes(
          "MEUCIA7L0oJMRNzpbI79lEP5Fcz2Yu14MfNWW2LXaq-fLHJPAiEA4P299xehzdzSWR3VUWbMQLzAZwgBQ2W17V"
            + "IOT9TbVQY")))
    let key = try PrivateKey(pem: bytes(RFC7515.ecKey)).publicKey
    let input = bytes(
      "eyJhbGciOiJFUzI1NiIsImtpZCI6IkFCQzEyM0RFRkcifQ."
        + "eyJpc3MiOiJERUYxMjNHSElKIiwiaWF0IjoxNDM3MTc5MDM2fQ")
    #expect(!key.verifyES256(der, of: input))
  }
}
