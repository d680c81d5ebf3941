internal import Glibc

/// Standard output and standard error, unbuffered, so that nothing is lost at the end.
enum Console {
  /// False when the reader is gone.
  @discardableResult static func print(_ line: String) -> Bool { write(line + "\n", to: 1) }

  static func error(_ line: String) { write(line + "\n", to: 2) }

  /// True when a person looks at standard output.
  static var isWatched: Bool { isatty(1) == 1 }
  /// True when a person looks at standard error.
  static var hasErrorsWatched: Bool { isatty(2) == 1 }

  /// True when a person can be asked.
  static var hasPerson: Bool { isatty(0) == 1 && isatty(2) == 1 }

  /// Asks a person; anything but yes is no.
  static func confirms(_ question: String) -> Bool {
    write(question + " [y/N] ", to: 2)
    return ["y", "yes"].contains(readLine()?.lowercased())
  }

  /// Replaces the last line of standard error, for a progress bar.
  static func overwrite(_ text: String) { write("\r\u{1B}[K" + text, to: 2) }

  /// Empties the terminal that standard output is.
  static func clear() { write("\u{1B}[H\u{1B}[2J", to: 1) }

  @discardableResult private static func write(_ text: String, to descriptor: Int32) -> Bool {
    var bytes = [UInt8](text.utf8)[...]
    while !bytes.isEmpty {
      let count = unsafe bytes.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if count > 0 { bytes = bytes.dropFirst(count) } else if errno != EINTR { return false }
    }
    return true
  }

  /// Columns as wide as their longest cell.
  static func table(_ rows: [[String]]) {
    var widths: [Int] = []
    for row in rows {
      for (column, cell) in row.enumerated() {
        if column == widths.count { widths.append(0) }
        widths[column] = max(widths[column], cell.count)
      }
    }
    for row in rows {
      let cells = row.enumerated().map { column, cell in
        column == row.count - 1
          ? cell : cell + String(repeating: " ", count: widths[column] - cell.count + 2)
      }
      print(cells.joined())
    }
  }
}

/// Text of others in a line for people: what could move a terminal's cursor becomes `?`.
func shown(_ text: String) -> String {
  String(
    String.UnicodeScalarView(
      text.unicodeScalars.map { scalar in
        switch scalar.value {
        case 0..<0x20, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069: "?"
        default: scalar
        }
      }))
}
