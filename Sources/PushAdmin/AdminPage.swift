/// The page: files of Sources/CAdminPage/Page, which stand in the program.
enum AdminPage {
  struct File: Sendable {
    let path: String
    let type: String
    let text: String
  }

  static let descriptionPath = AdminOperation.prefix + "openapi.json"

  static let files: [File] = {
    let html = "text/html; charset=utf-8"
    return PageFiles.all.map { name, text in
      name == "index.html"
        ? File(path: "/", type: html, text: text)
        : File(path: "/page/" + name, type: type(of: name), text: text)
    }
  }()

  private static func type(of name: String) -> String {
    switch name.split(separator: ".").last {
    case "js": "text/javascript; charset=utf-8"
    case "css": "text/css; charset=utf-8"
    case "svg": "image/svg+xml"
    default: "application/octet-stream"
    }
  }
}
