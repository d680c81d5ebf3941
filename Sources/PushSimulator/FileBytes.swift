import Glibc

/// Whole files, read and written at the start.
enum FileBytes {
  /// Nil when there is no such file.
  static func read(_ path: String) throws(SimulatorError) -> [UInt8]? {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else {
      if errno == ENOENT { return nil }
      throw SimulatorError(.file, "cannot read \(path)")
    }
    defer { _ = close(file) }
    var all: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe piece.withUnsafeMutableBytes {
        unsafe Glibc.read(file, $0.baseAddress, $0.count)
      }
      if count < 0 { throw SimulatorError(.file, "cannot read \(path)") }
      if count == 0 { return all }
      all += piece[..<count]
    }
  }

  /// Replaces the file; readable by its owner alone, since most of these are keys.
  static func write(_ path: String, _ bytes: [UInt8]) throws(SimulatorError) {
    let file = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw SimulatorError(.file, "cannot write \(path)") }
    defer { _ = close(file) }
    let count = unsafe bytes.withUnsafeBytes {
      unsafe Glibc.write(file, $0.baseAddress, $0.count)
    }
    if count != bytes.count { throw SimulatorError(.file, "cannot write all of \(path)") }
  }

  /// Makes the folder and those above it.
  static func makeFolder(_ path: String) throws(SimulatorError) {
    var made = path.hasPrefix("/") ? "" : "."
    for part in path.split(separator: "/") {
      made += "/" + part
      guard unsafe mkdir(made, 0o700) != 0, errno != EEXIST else { continue }
      throw SimulatorError(.file, "cannot make the folder \(made)")
    }
  }
}
