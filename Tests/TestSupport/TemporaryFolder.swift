internal import Glibc

/// A folder of a test's own, removed when it is let go.
package final class TemporaryFolder: Sendable {
  package let path: String

  package init() {
    var template = Array("/tmp/allim-test-XXXXXX".utf8CString)
    let made = unsafe template.withUnsafeMutableBufferPointer { template in
      unsafe mkdtemp(template.baseAddress!) != nil
    }
    precondition(made, "no temporary folder")
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The path of a file in it.
  package func file(_ name: String) -> String { path + "/" + name }

  deinit { Self.removeAll(path) }

  private static func removeAll(_ path: String) {
    if let folder = unsafe opendir(path) {
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
