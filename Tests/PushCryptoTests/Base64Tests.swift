import PushCrypto
import Testing

@Suite struct Base64Tests {
  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
    ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
  ])
  func `the examples of RFC 4648`(plain: String, coded: String) {
    #expect(text(Base64.encode(bytes(plain))) == coded)
    #expect(Base64.decode(bytes(coded)) == bytes(plain))
    let unpadded = coded.filter { $0 != "=" }
    #expect(text(Base64.encodeURL(bytes(plain))) == unpadded)
    #expect(Base64.decodeURL(bytes(unpadded)) == bytes(plain))
  }

  @Test func `each alphabet refuses the other`() {
    #expect(text(Base64.encode([251, 255])) == "+/8=")
    #expect(text(Base64.encodeURL([251, 255])) == "-_8")
    #expect(Base64.decode(bytes("-_8")) == nil)
    #expect(Base64.decodeURL(bytes("+/8")) == nil)
  }

  @Test(arguments: ["A", "Zm9v\n", "Zg===", "Z=g=", "Zg = ="])
  func `what is no base64 is refused`(input: String) {
    #expect(Base64.decode(bytes(input)) == nil)
  }

  @Test func `all lengths come back unchanged`() {
    for count in 0..<200 {
      let random = RandomBytes.make(count)
      #expect(Base64.decode(Base64.encode(random)) == random)
      #expect(Base64.decodeURL(Base64.encodeURL(random)) == random)
    }
  }
}
