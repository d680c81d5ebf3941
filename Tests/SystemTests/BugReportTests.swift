import PushCrypto
import Testing

/// Faults that people reported of other senders, each rebuilt against the real worker, a real Redis
/// and the simulator, which is as strict as the services. All share one worker.
@Suite(.chain) struct BugReportTests {
  // MARK: Too large

  /// A silent event whose custom data is `{"event":"remove","ids":…}`.
  private func removal(_ id: String, ids: String, _ device: String) -> String {
    Samples.event(id, #""type":"sync","data":{"event":"remove","ids":"\#(ids)"}"#, device)
  }

  private func ids(_ count: Int) -> String {
    (0..<count).map { String(100_000_001 + $0) }.joined(separator: ",")
  }

  @Test func `BR-01 too many ids are never sent; what fits to the byte is`() async throws {
    try await onChain { chain in
      let items = [
        Samples.message("br01-1", Samples.iphone("b0101")),
        removal("br01-a", ids: ids(410), Samples.iphone("b010a")),
        Samples.message("br01-2", Samples.iphone("b0102")),
        removal("br01-b", ids: ids(2_000), Samples.iphone("b010b")),
        Samples.message("br01-3", Samples.iphone("b0103")),
        removal("br01-c", ids: ids(410), Samples.android("b010c")),
        removal("br01-short", ids: "", Samples.iphone("b0104")),
      ]
      try await chain.queue.push(items)
      for (id, bytes) in [("br01-a", 4_097...4_300), ("br01-b", 20_000...20_200)] {
        let letter = try await chain.letter(of: id)
        #expect(letter["reason"]?.string == "payload_too_large")
        let numbers = letter["detail"]?.string?.split { !$0.isNumber }.compactMap { Int($0) } ?? []
        #expect(numbers.contains { bytes.contains($0) }, "\(letter["detail"]?.source ?? "")")
        #expect(letter["event", "data", "ids"]?.string?.hasPrefix("100000001,") == true)
      }
      #expect(
        try await chain.letter(of: "br01-c")["reason"]?.string == "payload_too_large")
      for tag in ["b0101", "b0102", "b0103"] { _ = try await chain.accepted(Samples.apns(tag)) }

      let short = try await chain.accepted(Samples.apns("b0104")).bodyBytes
      let fitting = String(repeating: "7", count: 4_096 - Int(short))
      try await chain.queue.push([
        removal("br01-fits", ids: fitting, Samples.iphone("b0105")),
        removal("br01-over", ids: fitting + "7", Samples.iphone("b0106")),
      ])
      #expect(try await chain.accepted(Samples.apns("b0105")).bodyBytes == 4_096)
      let detail = try await chain.letter(of: "br01-over")["detail"]?.string ?? ""
      #expect(detail.contains("4097") && detail.contains("4096"), "\(detail)")
      for tag in ["b010a", "b010b", "b0106"] {
        #expect(chain.requests(to: Samples.apns(tag)).isEmpty)
      }
    }
  }

  @Test func `BR-01 a body of more than one frame arrives whole`() async throws {
    try await onChain { chain in
      // One byte of data, six of JSON: within FCM's limit, and longer than an HTTP/2 frame.
      let value = String(repeating: #"\u0001"#, count: 3_500)
      let event = Samples.event(
        "br01-frames", #""type":"sync","data":{"k":"\#(value)"}"#, Samples.android("b01f"))
      try await chain.queue.push([event])
      let request = try await chain.accepted(Samples.fcm("b01f"))
      #expect(request.bodyBytes > 16_384)
      #expect(request.body?["message", "data", "k"]?.source == "\"\(value)\"")
    }
  }

  // MARK: Broken Unicode

  private static let broken: [(name: String, before: [UInt8], after: String)] = [
    ("a", Array(#"hi \udff3"#.utf8), "hi \u{FFFD}"),
    ("b", Array(#"hi \ud83d"#.utf8), "hi \u{FFFD}"),
    ("c", Array(#"\ud83d\u0041"#.utf8), "\u{FFFD}A"),
    ("d", Array("ab".utf8) + [0xF0, 0x9F, 0x98], "ab\u{FFFD}"),
  ]

  @Test func `BR-03 broken text is shown with U+FFFD`() async throws {
    try await onChain { chain in
      for (name, text, _) in Self.broken {
        try await chain.queue.push([
          Samples.message("br03-\(name)1", Samples.iphone("b03\(name)1"))
        ])
        let event = Samples.event(
          "br03-\(name)", #""type":"notice","body":"@""#, Samples.iphone("b03\(name)"))
        let parts = event.utf8.split(separator: UInt8(ascii: "@"))
        try await chain.queue.push(bytes: parts[0] + text + parts[1])
        try await chain.queue.push([
          Samples.message("br03-\(name)2", Samples.iphone("b03\(name)2"))
        ])
      }
      for (name, _, text) in Self.broken {
        _ = try await chain.accepted(Samples.apns("b03\(name)1"))
        // A body that is not UTF-8 would not be recorded as JSON.
        let body = try await chain.accepted(Samples.apns("b03\(name)")).body
        #expect(body?["aps", "alert", "body"]?.string == text)
        _ = try await chain.accepted(Samples.apns("b03\(name)2"))
      }
    }
  }

  @Test func `BR-03 what cannot be repaired is put aside byte for byte`() async throws {
    try await onChain { chain in
      let key = Samples.event("br03-e", #""type":"sync","data":{"@":1}"#, Samples.iphone("b03e"))
        .utf8.split(separator: UInt8(ascii: "@"))
      var random = SystemRandomNumberGenerator()
      let noise = (0..<1_000).map { _ in UInt8.random(in: 0x80...0xFF, using: &random) }
      let strange: [[UInt8]] = [key[0] + [0xC0, 0xAF] + key[1], noise]
      for (number, item) in strange.enumerated() {
        try await chain.queue.push([
          Samples.message("br03-\(number)1", Samples.iphone("b03f\(number)1"))
        ])
        try await chain.queue.push(bytes: item)
        try await chain.queue.push([
          Samples.message("br03-\(number)2", Samples.iphone("b03f\(number)2"))
        ])
      }
      let keyLetter = try await chain.letter(
        raw: String(decoding: Base64.encode(strange[0]), as: UTF8.self))
      #expect(keyLetter["reason"]?.string == "invalid_event")
      #expect(keyLetter["detail"]?.string?.hasPrefix("data") == true)
      #expect(keyLetter["id"]?.string == "br03-e")
      let noiseLetter = try await chain.letter(
        raw: String(decoding: Base64.encode(noise), as: UTF8.self))
      #expect(noiseLetter["reason"]?.string == "invalid_json")
      for number in 0...1 {
        _ = try await chain.accepted(Samples.apns("b03f\(number)1"))
        _ = try await chain.accepted(Samples.apns("b03f\(number)2"))
      }
      #expect(chain.requests(to: Samples.apns("b03e")).isEmpty)
    }
  }

  @Test func `BR-03 a byte order mark is skipped`() async throws {
    try await onChain { chain in
      let event = Samples.message("br03-g", Samples.iphone("b0390"))
      try await chain.queue.push(bytes: [0xEF, 0xBB, 0xBF] + event.utf8)
      let body = try await chain.accepted(Samples.apns("b0390")).body
      #expect(body?["aps", "alert", "body"]?.string == "hello")
    }
  }
}
