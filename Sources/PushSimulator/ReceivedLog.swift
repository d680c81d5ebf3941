import Glibc

/// The requests that came, as lines of JSON: the newest `keep` of them for `GET /received`, and
/// all of them in a file when one is named.
struct ReceivedLog {
  private let keep: Int
  private var lines: [[UInt8]] = []
  /// Where the oldest line stands once `lines` is full and goes round.
  private var oldest = 0
  /// The number the next line gets, from 1.
  private(set) var next: Int64 = 1
  private var file: Int32 = -1

  init(keep: Int, file path: String?) throws(SimulatorError) {
    self.keep = max(1, keep)
    guard let path else { return }
    file = unsafe Glibc.open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw SimulatorError(.file, "cannot write \(path)") }
  }

  /// The line is in the file when this returns: whoever has had an answer finds its request there.
  mutating func append(_ line: [UInt8]) {
    next += 1
    if file >= 0 { write(line + [UInt8(ascii: "\n")]) }
    guard lines.count == keep else { return lines.append(line) }
    lines[oldest] = line
    oldest = (oldest + 1) % keep
  }

  private func write(_ line: [UInt8]) {
    _ = unsafe line.withUnsafeBytes { unsafe Glibc.write(file, $0.baseAddress, $0.count) }
  }

  mutating func close() {
    if file >= 0 { _ = Glibc.close(file) }
    file = -1
  }

  mutating func clear() {
    lines = []
    oldest = 0
  }

  /// `{"next":N,"first":M,"requests":[…]}` with the lines numbered from `since` on that are kept.
  func json(since: Int64) -> [UInt8] {
    let first = next - Int64(lines.count)
    var out = JSONLine()
    out.open()
    out.add("next", next)
    out.add("first", first)
    out.open("requests", array: true)
    for number in max(since, first)..<max(next, since, first) {
      let at = (oldest + Int(number - first)) % max(1, lines.count)
      out.add(nil, json: lines[at])
    }
    out.close(array: true)
    out.close()
    return out.bytes
  }
}
