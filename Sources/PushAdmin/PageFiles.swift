internal import CAdminPage

/// The files that stand in the program (Sources/CAdminPage).
enum PageFiles {
  /// The files of the page by name.
  static let all: [(name: String, text: String)] = {
    var files: [(name: String, text: String)] = []
    while let file = unsafe admin_page_file_at(files.count) {
      files.append(unsafe (String(cString: file.pointee.name), text(of: file)))
    }
    return files
  }()

  /// docs/openapi.json.
  static let description = unsafe text(of: admin_page_description())

  private static func text(of file: UnsafePointer<admin_page_file>) -> String {
    unsafe String(
      decoding: UnsafeBufferPointer(start: file.pointee.bytes, count: file.pointee.count),
      as: UTF8.self)
  }
}
