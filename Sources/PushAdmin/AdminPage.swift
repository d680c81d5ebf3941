/// The page: files of `Page/`, put into the program as text by scripts/lib/embed_page.py.
enum AdminPage {
  struct File: Sendable {
    let path: String
    let type: String
    let text: String
  }

  static let descriptionPath = AdminOperation.prefix + "openapi.json"

  static let files: [File] = {
    let html = "text/html; charset=utf-8"
    return [File(path: "/", type: html, text: PageFiles.index_html)]
      + PageFiles.all.compactMap { name, text in
        guard let type = type(of: name) else { return nil }
        return File(path: "/page/" + name, type: type, text: text)
      }
  }()

  /// nil for what is served under a path of its own.
  private static func type(of name: String) -> String? {
    switch name.split(separator: ".").last {
    case "js": "text/javascript; charset=utf-8"
    case "css": "text/css; charset=utf-8"
    case "svg": "image/svg+xml"
    default: nil
    }
  }
}
