import PushCrypto
import TestSupport
import Testing

/// BR-34: what cannot be decoded is put aside at once, once, and byte for byte. The other half of the
/// case, an item that ends whoever holds it, takes many deaths: `scripts/test-faults --only poison`.
@Suite(.chain) struct PoisonItemTests {
  private static let bad = [
    "not json", "", "null", "[]", "\"text\"", "{}", #"{"platform":"pager"}"#,
    String(repeating: "[", count: 10_000), #"{"type":"notice","title":"a","title":"b"}"#,
    #"{"n":"# + String(repeating: "9", count: 10_000) + "}",
    #"{"type":"message","text":""# + String(repeating: "x", count: 8 << 20) + #"""#,
  ]

  @Test func `BR-34 items that are no events are put aside once, and good ones between go on`()
    async throws
  {
    try await onChain { chain in
      for (number, item) in Self.bad.enumerated() {
        try await chain.queue.push(bytes: [UInt8](item.utf8))
        try await chain.queue.push([Samples.message("g\(number)", Samples.iphone("34a\(number)"))])
      }
      for number in Self.bad.indices { _ = try await chain.accepted(Samples.apns("34a\(number)")) }
      let isEmpty = await eventually(on: chain.loop) {
        await chain.queue.isDrained(besides: ["dead"])
      }
      let left = await chain.queue.leftovers(besides: ["dead"])
      #expect(isEmpty, "\(left)")
      let letters = await chain.queue.letters()
      #expect(letters.count == Self.bad.count)
      for item in Self.bad {
        // Of what is more than we take a letter keeps the length and the beginning (EVENTS.md 2).
        let (raw, start) = (Self.base64(item.utf8), Self.base64(item.utf8.prefix(4_096)))
        let same = letters.filter {
          $0["event"]?.source == item || $0["raw"]?.string == raw
            || ($0["reason"]?.string == "item_too_large" && $0["raw"]?.string == start
              && $0["length"]?.source == "\(item.utf8.count)")
        }
        #expect(same.count == 1, "\(item.prefix(40)): \(same.count) letters")
      }
    }
  }

  private static func base64(_ bytes: some Sequence<UInt8>) -> String {
    String(decoding: Base64.encode([UInt8](bytes)), as: UTF8.self)
  }
}
