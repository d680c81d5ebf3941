internal import Glibc

/// The token that operators show.
package enum AdminToken {
  /// Made in the folder of a worker that has no `admin.tokenFile`.
  package static let fileName = "admin-token"
  private static let shortest = 16

  /// Reads a file of the configuration: its first line.
  package static func read(_ path: String) throws(AdminError) -> String {
    guard let text = contents(path) else {
      throw AdminError(
        description: "cannot read \(path): \(unsafe String(cString: strerror(errno)))")
    }
    guard isToken(text) else {
      throw AdminError(
        description: "\(path): a token is one line of \(shortest) or more letters, digits, -._~+/="
      )
    }
    return text
  }

  /// The token of a folder: the one that is there, so that workers of one folder share it and a
  /// bookmark survives a restart, else a new one. nil when the folder cannot be written.
  package static func make(in folder: String) -> (token: String, isKept: Bool) {
    unsafe mkdir(folder, 0o700)
    let path = folder + "/" + fileName
    if let token = kept(path) { return (token, true) }
    let token = random()
    // Linked into place whole: another worker that starts now reads all of it or nothing.
    let draft = path + ".\(getpid())"
    guard write(token + "\n", to: draft) else { return (token, false) }
    defer { unsafe unlink(draft) }
    if unsafe link(draft, path) == 0 { return (token, true) }
    if let token = kept(path) { return (token, true) }
    // What lies there is no token of ours, or others can read it.
    return (token, unsafe rename(draft, path) == 0)
  }

  /// A token of an earlier start, when nobody else can have read it.
  private static func kept(_ path: String) -> String? {
    var status = stat()
    guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_uid == geteuid(), status.st_mode & 0o077 == 0
    else { return nil }
    return contents(path).flatMap { isToken($0) ? $0 : nil }
  }

  private static func isToken(_ text: String) -> Bool {
    text.utf8.count >= shortest
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: "-._~+/=".utf8.contains(byte)
        }
      }
  }

  private static func random() -> String {
    var generator = SystemRandomNumberGenerator()
    return (0..<32).map { _ in
      let byte = UInt8.random(in: 0...255, using: &generator)
      return (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }.joined()
  }

  private static func contents(_ path: String) -> String? {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = unsafe Glibc.read(file, &bytes, bytes.count)
    guard count >= 0 else { return nil }
    let line = bytes[..<count].prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    return String(decoding: line, as: UTF8.self)
  }

  private static func write(_ text: String, to path: String) -> Bool {
    let file = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { return false }
    defer { close(file) }
    return unsafe Glibc.write(file, text, text.utf8.count) == text.utf8.count
  }
}
