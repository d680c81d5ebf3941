internal import Glibc
internal import SharedState

/// A folder of a test's own, removed when it is let go, at the latest when the tests end.
package final class TemporaryFolder: Sendable {
  package let path: String

  package init() {
    var template = Array("/tmp/allim-test-XXXXXX".utf8CString)
    let made = unsafe template.withUnsafeMutableBufferPointer { template in
      unsafe mkdtemp(template.baseAddress!) != nil
    }
    precondition(made, "no temporary folder")
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let path = path
    Self.open.withLock { _ = $0.insert(path) }
  }

  /// The path of a file in it.
  package func file(_ name: String) -> String { path + "/" + name }

  deinit {
    Self.removeAll(path)
    Self.open.withLock { _ = $0.remove(path) }
  }

  /// Folders that something still holds at the end, such as a loop that was stopped meanwhile.
  private static let open: Guarded<Set<String>> = {
    atexit {
      for path in TemporaryFolder.open.withLock({ $0 }) { TemporaryFolder.removeAll(path) }
    }
    return Guarded([])
  }()

  /// Where a link leads is not ours to remove.
  private static func removeAll(_ path: String) {
    let descriptor = unsafe Glibc.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    if descriptor >= 0, let folder = unsafe fdopendir(descriptor) {
      while let entry = unsafe readdir(folder) {
        let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
          unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        if name != "." && name != ".." { removeAll(path + "/" + name) }
      }
      unsafe closedir(folder)
    }
    unsafe remove(path)
  }
}
