import Foundation
import TestSupport
import Testing

/// docs/events.md shows what `allim explain` prints, to the letter.
///
/// When a change is meant, WRITE_EVENTS_PAGE=1 writes the printed blocks anew, and a person reads
/// them before they are kept.
@Suite struct EventsPageTests {
  private static let page = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../docs/events.md").standardizedFileURL

  /// The moment of the page: 2025-11-30 08:00:01.
  private static let now = "1764489601"

  private struct Block {
    var language: Substring
    var lines: [Substring]
    /// Lines of the page, fences left out.
    var range: Range<Int>
  }

  private func blocks(of lines: [Substring]) -> [Block] {
    var blocks: [Block] = []
    var start: Int?
    for (number, line) in lines.enumerated() where line.hasPrefix("```") {
      if let first = start {
        blocks.append(
          Block(
            language: lines[first - 1].dropFirst(3), lines: Array(lines[first..<number]),
            range: first..<number))
        start = nil
      } else {
        start = number + 1
      }
    }
    return blocks
  }

  @Test func `every event of the page becomes what the page says`() async throws {
    let text = try String(contentsOf: Self.page, encoding: .utf8)
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let all = blocks(of: lines)
    let pairs = zip(all, all.dropFirst()).filter { $0.language == "json" && $1.language == "text" }
    #expect(pairs.count >= 10 && all.filter { $0.language == "json" }.count == pairs.count)
    let isWriting = ProcessInfo.processInfo.environment["WRITE_EVENTS_PAGE"] != nil
    for (event, shown) in pairs.reversed() {
      let printed = try await explain(event.lines.joined(separator: "\n"))
      if isWriting { lines.replaceSubrange(shown.range, with: printed.map { $0[...] }) }
      #expect(isWriting || printed == shown.lines.map(String.init))
    }
    if isWriting {
      try lines.joined(separator: "\n").write(to: Self.page, atomically: true, encoding: .utf8)
    }
  }

  private func explain(_ event: String) async throws -> [String] {
    let ending = try await AllimCommand().run(["explain", "--now", Self.now], input: event)
    #expect(ending.status == 0, "\(ending.text)")
    // Behind it stands on stderr that no configuration was found.
    return Array(ending.lines.dropLast())
  }
}
