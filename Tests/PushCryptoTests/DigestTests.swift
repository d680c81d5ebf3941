import PushCrypto
import Testing

@Suite struct DigestTests {
  @Test func `digests of the standards' examples`() {
    #expect(
      text(SHA256.hex(bytes("abc")))
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(
      text(SHA256.hex([])) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    #expect(text(SHA1.hex(bytes("abc"))) == "a9993e364706816aba3e25717850c26c9cd0d89d")
    #expect(SHA1.hash([]).count == 20)
  }

  @Test func `hex reads both cases and refuses what is not hex`() {
    #expect(Hex.decode(bytes("00fF10")) == [0, 255, 16])
    #expect(Hex.decode(bytes("0")) == nil)
    #expect(Hex.decode(bytes("0g")) == nil)
    #expect(text(Hex.encode([0, 171, 255])) == "00abff")
  }
}

@Suite struct UUIDTests {
  @Test func `the UUID of a name is that of other makers`() {
    // Python: uuid.uuid5(uuid.NAMESPACE_DNS, "python.org").
    let dns: [16 of UInt8] = [
      0x6b, 0xa7, 0xb8, 0x10, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30,
      0xc8,
    ]
    let made = UUIDv5.text(namespace: dns, name: bytes("python.org"))
    #expect(text(made) == "886313e1-3b8a-5372-9b90-0c9aee199e5d")
  }

  @Test(arguments: ["", "x", String(repeating: "x", count: 36), String(repeating: "x", count: 40)])
  func `a UUID takes the place of what was there`(before: String) {
    var out = bytes(before)
    let name = bytes("a\nb")
    UUIDv5.set(&out, namespace: UUIDv5.pushNamespace, name: name.span)
    // Python: uuid.uuid5(uuid.UUID("6ba7b812-9dad-11d1-80b4-00c04fd430c8"), "a\nb").
    #expect(text(out) == "68a9fd27-08de-5489-8aef-6ccd9d5b95cf")
  }

  @Test func `random UUIDs have their version and differ`() {
    let made = (0..<100).map { _ in text(UUIDv4.text()) }
    #expect(Set(made).count == 100)
    for uuid in made {
      let letters = Array(uuid)
      #expect(letters.count == 36 && letters[14] == "4" && "89ab".contains(letters[19]))
    }
  }

  @Test func `random bytes have the length asked for`() {
    #expect(RandomBytes.make(0).isEmpty)
    #expect(RandomBytes.make(33).count == 33)
    #expect(RandomBytes.make(16) != RandomBytes.make(16))
  }
}
