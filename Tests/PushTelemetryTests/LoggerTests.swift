import Glibc
import PushTelemetry
import SharedState
import TestSupport
import Testing

@Suite struct LoggerTests {
  @Test func `a record is one JSON line with its values as pairs`() {
    let log = CapturedLog(format: .json)
    log.logger.info("push refused", [.app: "chat", .status: 410, .took: 0.25, .embedded: true])
    #expect(
      log.text() == """
        {"time":"2026-11-30T10:58:37.123Z","level":"info","message":"push refused",\
        "app":"chat","status":410,"took_seconds":0.25,"embedded":true}

        """)
  }

  @Test func `logfmt quotes only what needs it`() {
    let log = CapturedLog(format: .logfmt)
    log.logger.warning("slow", [.host: "a.example", .detail: "two words", .reason: ""])
    #expect(
      log.text() == """
        time=2026-11-30T10:58:37.123Z level=warning message=slow host=a.example \
        detail="two words" reason=""

        """)
  }

  @Test(arguments: LogFormat.allCases)
  func `foreign text can neither forge a line nor move a terminal`(format: LogFormat) {
    let log = CapturedLog(format: format)
    log.logger.error(
      "bad", [.detail: "x\" y=1\nlevel=info\r\u{1B}[2J\u{85}\u{2028}\u{202E}\u{2066}\\"])
    let text = log.text()
    #expect(text.utf8.count { $0 == UInt8(ascii: "\n") } == 1)
    let isClean = text.dropLast().unicodeScalars.allSatisfy {
      $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value)
        && ![0x2028, 0x202E, 0x2066].contains($0.value)
    }
    #expect(isClean)
    #expect(
      text.hasSuffix(
        #""x\" y=1\nlevel=info\u000d\u001b[2J\u0085\u2028\u202e\u2066\\""#
          + (format == .json ? "}\n" : "\n")))
  }

  @Test func `a long value is cut so that a record stays one write`() {
    let log = CapturedLog(format: .json)
    log.logger.info("long", [.detail: .text(String(repeating: "가", count: 5_000))])
    let text = log.text()
    #expect(text.utf8.count < 700)
    #expect(text.hasSuffix("가…\"}\n"))
  }

  @Test func `a disabled level evaluates nothing`() {
    let log = CapturedLog(format: .json)
    var evaluated = false
    func value() -> LogValue {
      evaluated = true
      return 1
    }
    log.logger.debug("hidden", [.count: value()])
    #expect(!evaluated)
    log.logger.level = .debug
    log.logger.debug("shown", [.count: value()])
    #expect(evaluated)
    #expect(log.text().contains("shown"))
  }

  @Test func `a flood is shown in part and then summed`() {
    let clock = ManualClock(wall: 1_796_036_317_123)
    let log = CapturedLog(format: .logfmt, clock: clock)
    for number in 0..<1_000 { log.logger.warning("flood", [.count: .count(number)]) }
    log.logger.info("another")
    #expect(log.text().split(separator: "\n").count == 21)
    clock.advance(.seconds(10))
    log.logger.sumUpFloods()
    #expect(
      log.text()
        == "time=2026-11-30T10:58:47.123Z level=warning message=flood suppressed=980 seconds=10\n")
    log.logger.warning("flood")
    #expect(log.text().contains("message=flood\n"))
  }
}

@Suite struct RedactionTests {
  @Test(arguments: [
    ("00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0", "00fc13…(64)"),
    ("short", "sh…(5)"), ("", "…(0)"), ("abcdefghijkl", "abcdef…(12)"),
  ])
  func `a token shows its start and its length`(token: String, shown: String) {
    #expect(redact(token: token) == shown)
    #expect(redact(token: [UInt8](token.utf8)) == shown)
  }
}

/// A logger that writes into a pipe.
final class CapturedLog {
  let logger: Logger
  private let reader: Int32
  private let writer: Int32

  init(format: LogFormat, clock: any PushClock = ManualClock(wall: 1_796_036_317_123)) {
    var ends: [Int32] = [0, 0]
    unsafe pipe(&ends)
    (reader, writer) = (ends[0], ends[1])
    for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    logger = Logger(level: .info, format: format, descriptor: writer, clock: clock)
  }

  deinit {
    close(reader)
    close(writer)
  }

  /// What was written since the last call.
  func text() -> String {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = unsafe read(reader, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }
}
