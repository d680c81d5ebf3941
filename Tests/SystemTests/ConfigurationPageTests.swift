import Foundation
import TestSupport
import Testing

/// docs/configuration.md is what `allim check-config --reference` prints, behind a text by hand.
///
/// WRITE_CONFIGURATION_PAGE=1 writes it anew; a person reads it before it is kept.
@Suite struct ConfigurationPageTests {
  private static let page = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../docs/configuration.md").standardizedFileURL
  private static let mark = "a test compares. -->\n\n"

  @Test func `the page lists every key as the program knows it`() async throws {
    let printed = try await AllimCommand().run(["check-config", "--reference"])
    #expect(printed.status == 0)
    let text = try String(contentsOf: Self.page, encoding: .utf8)
    let start = try #require(text.firstRange(of: Self.mark)).upperBound
    let reference = printed.text + "\n"
    if ProcessInfo.processInfo.environment["WRITE_CONFIGURATION_PAGE"] != nil {
      try (text[..<start] + reference).write(to: Self.page, atomically: true, encoding: .utf8)
      return
    }
    let isCurrent = text[start...] == reference
    #expect(isCurrent, "write it anew with WRITE_CONFIGURATION_PAGE=1")
  }
}
