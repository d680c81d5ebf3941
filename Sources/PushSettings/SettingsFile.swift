internal import Glibc

/// Files as a configuration needs them: small, read at once.
package enum SettingsFile {
  package struct Failure: Error, Sendable { package let reason: String }

  /// No configuration or key is larger.
  private static let maximumBytes = 1 << 20

  /// Throws why it could not be read, in the system's words.
  package static func read(_ path: String) throws(Failure) -> [UInt8] {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw Failure(reason: systemError()) }
    defer { close(file) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe Glibc.read(file, &piece, piece.count)
      if count == 0 { return bytes }
      guard count > 0 else { throw Failure(reason: systemError()) }
      bytes += piece[..<count]
      guard bytes.count <= maximumBytes else { throw Failure(reason: "larger than 1 MB") }
    }
  }

  static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

  /// The folder of a file, for names relative to it.
  static func directory(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  static func resolve(_ path: String, in directory: String) -> String {
    path.hasPrefix("/") || directory == "." ? path : directory + "/" + path
  }

  private static func systemError() -> String {
    let code = errno
    return unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
  }
}
