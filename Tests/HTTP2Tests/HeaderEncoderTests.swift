import TestSupport
import Testing

@testable import HTTP2

@Suite struct HeaderEncoderTests {
  private func encode(_ block: HeaderBlock, with encoder: inout HeaderEncoder) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(addingCapacity: HeaderEncoder.bound(block)) { encoder.encode(block, to: &$0) }
    return bytes
  }

  private func hex(_ bytes: [UInt8]) -> String {
    bytes.map { String(0x100 + Int($0), radix: 16).dropFirst() }.joined()
  }

  @Test func `integers are those of RFC 7541 C.1`() {
    let cases: [(Int, UInt8, String)] = [
      (10, 5, "0a"), (1_337, 5, "1f9a0a"), (42, 8, "2a"), (31, 5, "1f00"), (127, 7, "7f00"),
    ]
    for (value, prefix, text) in cases {
      var bytes: [UInt8] = []
      bytes.append(addingCapacity: 8) { $0.append(value, prefix: prefix, 0) }
      #expect(hex(bytes) == text)
    }
  }

  @Test func `requests with Huffman's code are those of RFC 7541 C.4`() {
    var encoder = HeaderEncoder()
    func request(_ scheme: StaticString, _ path: StaticString) -> HeaderBlock {
      var block = HeaderBlock()
      block.append(":method", "GET")
      block.append(":scheme", scheme)
      block.append(":path", path)
      block.append(":authority", "www.example.com")
      return block
    }
    #expect(
      hex(encode(request("http", "/"), with: &encoder)) == "828684418cf1e3c2e5f23a6ba0ab90f4ff")
    var second = request("http", "/")
    second.append("cache-control", "no-cache")
    #expect(hex(encode(second, with: &encoder)) == "828684be5886a8eb10649cbf")
    var third = request("https", "/index.html")
    third.append(Array("custom-key".utf8), Array("custom-value".utf8))
    #expect(
      hex(encode(third, with: &encoder))
        == "828785bf408825a849e95ba97d7f8925a849e95bb8e8b4bf")
    #expect(encoder.table.size == 164)
  }

  @Test func `literals are those of RFC 7541 C.2, and a secret is never indexed`() {
    var encoder = HeaderEncoder()
    var block = HeaderBlock()
    block.append("password", Array("secret".utf8), .secret)
    #expect(hex(encode(block, with: &encoder)) == "100870617373776f726406736563726574")
    #expect(encoder.table.size == 0)
  }

  @Test func `what stays the same costs one byte from the second request on`() {
    var encoder = HeaderEncoder()
    let bearer = Array("bearer abcdefghijklmnopqrstuvwxyz0123456789".utf8)
    func push(_ token: String, id: String) -> HeaderBlock {
      var block = request("/3/device/" + token)
      block.append("authorization", bearer, .lastingSecret)
      block.append("apns-id", Array(id.utf8), .nameOnly)
      block.append("apns-priority", decimal: 10)
      return block
    }
    let first = encode(push("00aa", id: "1"), with: &encoder).count
    let second = encode(push("00bb", id: "2"), with: &encoder).count
    let code = HuffmanCode.encode(bearer.span)?.count ?? 0
    #expect(0 < code && code < bearer.count)
    // Five fields of one byte, path, bearer, and an id behind the index of its name.
    #expect(second == 5 + (2 + 14) + (2 + 1 + code) + (2 + 1 + 1))
    #expect(second < first)
  }

  @Test func `Huffman's code of any text is read back by nghttp2`() {
    let decoder = HeaderDecoder()
    for byte in UInt8.min...UInt8.max {
      let text = [UInt8](repeating: byte, count: 5)
      let texts: [[UInt8]] = [text, Array("aeiost0123456789".utf8) + text]
      for text in texts {
        guard let code = HuffmanCode.encode(text.span) else { continue }
        let block = [0x00, 0x01, UInt8(ascii: "x"), 0x80 | UInt8(code.count)] + code
        #expect(code.count < text.count)
        #expect(decoder.decode(block)?.first?.value == text)
      }
    }
  }

  @Test func `random fields and table sizes are read back by nghttp2`() {
    var random = SeededRandom.fresh()
    let seed = random.seed
    for _ in 0..<60 {
      var peer = Peer()
      for step in 0..<60 {
        if Int.random(in: 0..<8, using: &random) == 0 { peer.change(&random) }
        let (block, fields) = randomBlock(&random)
        peer.check(block, fields, "seed \(seed), step \(step)")
      }
    }
  }

  /// An encoder and the decoder at the other end, with the SETTINGS between them.
  private struct Peer {
    var encoder = HeaderEncoder()
    let decoder = HeaderDecoder()
    var updates: [UInt8] = []

    /// Up to three changes before the next block; the least and the last are announced.
    mutating func change(_ random: inout SeededRandom) {
      let sizes = (0..<Int.random(in: 1...3, using: &random)).map { _ in
        [0, 31, 64, 200, 1_000, 4_096].randomElement(using: &random) ?? 0
      }
      let (least, last) = (sizes.min() ?? 0, sizes.last ?? 0)
      updates = []
      updates.append(addingCapacity: 20) { output in
        if least < last { output.append(least, prefix: 5, 0x20) }
        output.append(last, prefix: 5, 0x20)
      }
      for size in sizes { decoder.allow(size) }
    }

    mutating func check(_ block: HeaderBlock, _ fields: [DecodedField], _ comment: Comment) {
      var bytes = updates
      encoder.follow(sizeUpdates: bytes.span)
      updates = []
      let start = bytes.count
      bytes.append(addingCapacity: HeaderEncoder.bound(block)) { encoder.encode(block, to: &$0) }
      #expect(bytes.count - start <= HeaderEncoder.bound(block), comment)
      #expect(decoder.decode(bytes) == fields, comment)
      #expect(decoder.tableSize == encoder.table.size, comment)
    }
  }

  private func randomBlock(_ random: inout SeededRandom) -> (HeaderBlock, [DecodedField]) {
    let known: [StaticString] = [
      ":method", ":path", ":authority", "authorization", "apns-id", "apns-topic", "content-type",
    ]
    let values = ["", "GET", "POST", "/", "com.example.chat", "10", "bearer eyJhbGciOiJ"]
    var block = HeaderBlock()
    var fields: [DecodedField] = []
    for _ in 0..<Int.random(in: 0...14, using: &random) {
      var value = Array((values.randomElement(using: &random) ?? "").utf8)
      switch Int.random(in: 0..<20, using: &random) {
      case 0: value = (0..<2_500).map { _ in UInt8.random(in: 0...255, using: &random) }
      case 1...8: value += Array(String(UInt32.random(in: 0...(.max), using: &random)).utf8)
      default: break
      }
      var field = DecodedField(name: [], value: value)
      if Int.random(in: 0..<3, using: &random) == 0 {
        field.name = Array("x-\(Int.random(in: 0..<60, using: &random))".utf8)
        block.append(field.name, value)
      } else {
        let name = known.randomElement(using: &random) ?? ""
        let indexing = HeaderBlock.Indexing(rawValue: .random(in: 0...3, using: &random)) ?? .full
        field.name = Array(name.description.utf8)
        field.neverIndexed = indexing == .secret || indexing == .lastingSecret
        block.append(name, value, indexing)
      }
      fields.append(field)
    }
    return (block, fields)
  }
}
