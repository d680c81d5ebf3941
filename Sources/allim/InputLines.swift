internal import Glibc

/// The lines of a file or of standard input, read in large pieces.
final class InputLines {
  private let descriptor: Int32
  private var buffer: [UInt8] = []
  private var start = 0
  private var hasEnded = false
  private(set) var number = 0
  /// Of the input so far.
  private(set) var bytesRead = 0

  /// `-` is standard input.
  init(_ path: String) throws(CommandFailure) {
    descriptor = path == "-" ? 0 : unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw .misuse("\(path): \(unsafe String(cString: strerror(errno)))")
    }
  }

  /// In bytes, of a regular file; nil when nobody knows how much will come.
  var size: Int? {
    var file = stat()
    guard unsafe fstat(descriptor, &file) == 0, file.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(file.st_size)
  }

  deinit { if descriptor > 0 { close(descriptor) } }

  /// The next line without its end; nil at the end of the input.
  func next() throws(CommandFailure) -> [UInt8]? {
    var searched = start
    while true {
      if let end = buffer[searched...].firstIndex(of: 10) {
        defer { start = end + 1 }
        number += 1
        return Array(buffer[start..<end])
      }
      searched = buffer.count - start
      guard !hasEnded else { return rest() }
      buffer.removeFirst(start)
      start = 0
      try fill()
    }
  }

  private func rest() -> [UInt8]? {
    guard start < buffer.count else { return nil }
    defer { start = buffer.count }
    number += 1
    return Array(buffer[start...])
  }

  private func fill() throws(CommandFailure) {
    var piece = [UInt8](repeating: 0, count: 1 << 18)
    let count = unsafe read(descriptor, &piece, piece.count)
    guard count >= 0 else {
      if errno == EINTR { return }
      throw CommandFailure(.failed, unsafe String(cString: strerror(errno)))
    }
    hasEnded = count == 0
    bytesRead += count
    buffer += piece[..<count]
  }
}
