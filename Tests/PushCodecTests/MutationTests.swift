import CodecProbe
import Foundation
import Testing

@testable import PushCodec

/// The fuzzer's rules on the corpus and on thousands of its mutations; scripts/fuzz tries millions.
@Suite struct MutationTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Fuzz")

  private static let corpus: [[UInt8]] = {
    let corpus = folder.appending(path: "corpus")
    let files = (try? FileManager.default.contentsOfDirectory(atPath: corpus.path)) ?? []
    return files.sorted().compactMap { file in
      (try? Data(contentsOf: corpus.appending(path: file))).map { [UInt8]($0) }
    }
  }()

  @Test func `every event of the corpus is handled by the rules`() async {
    let probe = CodecProbe()
    for event in Self.corpus {
      await Task.yield()  // others share the few threads
      for options: UInt8 in 0x80..<0xC0 {
        if let problem = probe.problem(with: [options] + event) {
          Issue.record("\(problem): \(String(decoding: event, as: UTF8.self))")
        }
      }
    }
    #expect(Self.corpus.count > 30 && probe.events > 1_000 && probe.bodies > 1_000)
  }

  @Test func `mutations of the corpus are handled by the rules`() async {
    let seed = UInt64.random(in: 0...UInt64.max)
    var mutator = Mutator(corpus: Self.corpus, seed: seed)
    let probe = CodecProbe()
    for _ in 0..<4_000 {
      await Task.yield()
      let input = mutator.next()
      guard let problem = probe.problem(with: input) else { continue }
      Issue.record("seed \(seed): \(problem): \(Data(input).base64EncodedString())")
      return
    }
    #expect(probe.bodies > 100, "seed \(seed)")
  }

  @Test func `the fuzzer knows every field`() throws {
    let file = Self.folder.appending(path: "events.dict")
    let dictionary = try String(contentsOf: file, encoding: .utf8)
    for key in EventKey.allCases { #expect(dictionary.contains("\"\\\"\(key)\\\":\"")) }
    for key in DeviceKey.allCases { #expect(dictionary.contains("\"\\\"\(key)\\\":\"")) }
  }
}

/// Changes items of a corpus a little: bytes, runs of bytes, and parts of two items joined.
private struct Mutator {
  private let corpus: [[UInt8]]
  private var state: UInt64

  init(corpus: [[UInt8]], seed: UInt64) {
    self.corpus = corpus
    state = seed
  }

  mutating func next() -> [UInt8] {
    var item = corpus[roll(corpus.count)]
    for _ in 0...roll(4) { change(&item) }
    if roll(2) == 0 { item.insert(UInt8(0x80 + roll(0x40)), at: 0) }
    return item
  }

  private mutating func change(_ item: inout [UInt8]) {
    if item.isEmpty { item = [0] }
    let at = roll(item.count)
    let end = min(item.count, at + roll(12) + 1)
    switch roll(7) {
    case 0: item[at] = UInt8(roll(256))
    case 1: item[at] ^= 1 << UInt8(roll(8))
    case 2: item.removeSubrange(at..<end)
    case 3: item.insert(contentsOf: item[at..<end], at: roll(item.count))
    case 4: item[at] = Array(#"{}[]",:\09-e"#.utf8)[roll(12)]
    case 5: item.insert(contentsOf: Self.words[roll(Self.words.count)].utf8, at: at)
    default:
      let other = corpus[roll(corpus.count)]
      item = Array(item[..<at] + other[roll(other.count)...])
    }
  }

  private static let words = [
    #"\ud800"#, #"\ud83d\ude00"#, #"\u0000"#, "null", "true", "0", "1e3", "{}", "[]", "\"\"", "😀",
    "\u{200D}", String(repeating: "가", count: 1_500),
  ]

  private mutating func roll(_ sides: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(sides))
  }
}
