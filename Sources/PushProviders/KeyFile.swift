internal import Glibc

/// Reads the small files that hold keys.
enum KeyFile {
  /// No key file comes near it; a device or a log given by mistake does.
  private static let limit = 262_144

  static func read(_ path: String) throws(CredentialError) -> [UInt8] {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw refusal(path) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = unsafe chunk.withUnsafeMutableBytes {
        unsafe Glibc.read(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw refusal(path) }
      if count == 0 { return bytes }
      bytes += chunk.prefix(count)
      guard bytes.count <= limit else {
        throw CredentialError(file: path, "is no key file: too long")
      }
    }
  }

  private static func refusal(_ path: String) -> CredentialError {
    CredentialError(file: path, unsafe String(cString: strerror(errno)))
  }
}
