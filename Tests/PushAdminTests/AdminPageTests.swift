import Foundation
import TestSupport
import Testing

@testable import PushAdmin

/// The page as it is in the program.
@Suite struct AdminPageTests {
  private static let root = #filePath.components(separatedBy: "/Tests/PushAdminTests/")[0]

  private func file(_ path: String) -> String {
    String(decoding: read(Self.root + "/" + path) ?? [], as: UTF8.self)
  }

  @Test func `the program has the files of the page and the description as they are`() throws {
    let folder = Self.root + "/Sources/CAdminPage/Page"
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    #expect(Set(names) == Set(PageFiles.all.map(\.name)))
    for (name, text) in PageFiles.all {
      #expect(text == file("Sources/CAdminPage/Page/" + name), "\(name)")
    }
    #expect(PageFiles.description == file("docs/openapi.json"))
  }

  @Test func `the page is whole by itself`() {
    let paths = Set(AdminPage.files.map(\.path))
    for file in AdminPage.files {
      for line in file.text.split(separator: "\n") where !line.contains("www.w3.org/2000/svg") {
        #expect(
          !line.contains("http://") && !line.contains("https://") && !line.contains("url("),
          "\(file.path): \(line)")
      }
      // What the content policy would refuse, and what would read text as HTML.
      for word in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("] {
        #expect(!file.text.contains(word), "\(file.path): \(word)")
      }
    }
    for (name, text) in PageFiles.all where name.hasSuffix(".html") {
      for word in ["<style", "style=", "onclick", "<script>"] { #expect(!text.contains(word)) }
      for part in text.components(separatedBy: "\"") where part.hasPrefix("/page/") {
        #expect(paths.contains(part), "\(part) is not served")
      }
    }
    for (name, text) in PageFiles.all where name.hasSuffix(".js") {
      for part in text.components(separatedBy: "'") where part.hasPrefix("./") {
        #expect(paths.contains("/page/" + part.dropFirst(2)), "\(name): \(part) is not served")
      }
    }
  }

  @Test func `the description names every call of the table, and no other`() throws {
    let object = try JSONSerialization.jsonObject(with: Data(file("docs/openapi.json").utf8))
    let document = try #require(object as? [String: Any])
    #expect(document["openapi"] as? String == "3.1.0")
    let paths = try #require(document["paths"] as? [String: [String: Any]])
    let described = paths.flatMap { path, methods in
      methods.keys.map { "\($0.uppercased()) /api/v1\(path)" }
    }
    let state = AdminState(
      liveness: { AdminReport(isGood: true) }, readiness: { AdminReport(isGood: true) },
      metrics: { "" })
    let table = AdminRoute.all(state).filter { $0.path.hasPrefix("/api/") }
    #expect(Set(described) == Set(table.map { "\($0.method) \($0.path)" }))
    for route in table {
      let path = String(route.path.dropFirst("/api/v1".count))
      let call = paths[path]?[route.method.lowercased()] as? [String: Any]
      // What changes something says that it needs the token.
      #expect((call?["security"] != nil) == (route.kind == .change), "\(route.path)")
      let summary = call?["summary"] as? String
      #expect(summary?.isEmpty == false, "\(route.path)")
    }
  }

  @Test func `the page calls nothing that is not in the table`() {
    let paths = Set(AdminOperation.allCases.map(\.rawValue))
    for (name, text) in PageFiles.all where name.hasSuffix(".js") {
      for part in text.components(separatedBy: " get('").dropFirst()
        + text.components(separatedBy: " post('").dropFirst()
      {
        let path = String(part.prefix { $0 != "'" })
        #expect(paths.contains(path), "\(name): \(path)")
      }
    }
  }
}
