internal import Glibc
package import SharedState
internal import Synchronization

/// Writes one line a record to a file descriptor, with one `write`.
///
/// A record is a fixed message with values as pairs. No value may hold message text, a key, a
/// bearer or a whole device token (`LogValue.token` shortens).
package final class Logger: Sendable {
  private let threshold: Atomic<UInt8>
  private let isJSON: Atomic<Bool>
  private let descriptor: Int32
  private let clock: any PushClock
  private let isUnderJournal: Bool

  private struct State {
    var line = LogLine()
    var floods = FloodGate()
  }
  private let state = Guarded(State())

  package init(
    level: LogLevel = .info, format: LogFormat = .json, descriptor: Int32 = 2,
    clock: any PushClock = SystemClock()
  ) {
    threshold = Atomic(level.rawValue)
    isJSON = Atomic(format == .json)
    self.descriptor = descriptor
    self.clock = clock
    isUnderJournal = Journal.reads(descriptor)
  }

  /// The lowest level written; a reload may change it.
  package var level: LogLevel {
    get { LogLevel(rawValue: threshold.load(ordering: .relaxed)) ?? .info }
    set { threshold.store(newValue.rawValue, ordering: .relaxed) }
  }

  /// How records are written; a reload may change it.
  package var format: LogFormat {
    get { isJSON.load(ordering: .relaxed) ? .json : .logfmt }
    set { isJSON.store(newValue == .json, ordering: .relaxed) }
  }

  package func isOn(_ level: LogLevel) -> Bool {
    level.rawValue >= threshold.load(ordering: .relaxed)
  }

  package func debug(
    _ message: StaticString, _ pairs: @autoclosure () -> KeyValuePairs<LogKey, LogValue> = [:]
  ) {
    if isOn(.debug) { write(.debug, message, pairs()) }
  }

  package func info(
    _ message: StaticString, _ pairs: @autoclosure () -> KeyValuePairs<LogKey, LogValue> = [:]
  ) {
    if isOn(.info) { write(.info, message, pairs()) }
  }

  package func warning(
    _ message: StaticString, _ pairs: @autoclosure () -> KeyValuePairs<LogKey, LogValue> = [:]
  ) {
    if isOn(.warning) { write(.warning, message, pairs()) }
  }

  package func error(
    _ message: StaticString, _ pairs: @autoclosure () -> KeyValuePairs<LogKey, LogValue> = [:]
  ) {
    if isOn(.error) { write(.error, message, pairs()) }
  }

  /// For a record whose level depends on what happened.
  package func log(
    _ level: LogLevel, _ message: StaticString,
    _ pairs: @autoclosure () -> KeyValuePairs<LogKey, LogValue> = [:]
  ) {
    if isOn(level) { write(level, message, pairs()) }
  }

  /// Writes the sums of floods that are over; to be called about once a second.
  package func sumUpFloods() {
    let (now, time) = (clock.monotonic(), clock.wall())
    state.withLock { sumUp(&$0, now, time) }
  }

  private func write(
    _ level: LogLevel, _ message: StaticString, _ pairs: KeyValuePairs<LogKey, LogValue>
  ) {
    let (now, time) = (clock.monotonic(), clock.wall())
    state.withLock { state in
      sumUp(&state, now, time)
      // Who asks for debug wants all of it.
      guard level == .debug || state.floods.admits(message, level, now: now) else { return }
      put(&state.line, level, time, message, pairs)
    }
  }

  private func sumUp(_ state: inout State, _ now: Int64, _ time: Int64) {
    for sum in state.floods.over(now: now) {
      put(
        &state.line, sum.level, time, sum.message,
        [.suppressed: .count(sum.suppressed), .seconds: 10])
    }
  }

  private func put(
    _ line: inout LogLine, _ level: LogLevel, _ time: Int64, _ message: StaticString,
    _ pairs: KeyValuePairs<LogKey, LogValue>
  ) {
    line.begin(syslogDigit: isUnderJournal ? level.syslogDigit : nil)
    line.write(format, time: time, level: level, message: message, pairs)
    var sent = 0
    // A full pipe that does not block loses the record: a worker never waits for its log's reader.
    while sent < line.bytes.count {
      let wrote = unsafe line.bytes.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress! + sent, $0.count - sent)
      }
      if wrote > 0 { sent += wrote } else if errno != EINTR { return }
    }
  }
}
