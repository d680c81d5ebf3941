import Glibc
import TestSupport
import Testing

@testable import PushAdmin

@Suite struct AdminTokenTests {
  private let folder = TemporaryFolder()

  private func mode(_ path: String) -> mode_t {
    var status = stat()
    unsafe stat(path, &status)
    return status.st_mode & 0o777
  }

  @Test func `a token is made once for a folder, for its owner alone`() throws {
    let place = folder.file(".allim")
    let first = AdminToken.make(in: place)
    #expect(first.isKept && first.token.utf8.count == 64)
    #expect(mode(place + "/admin-token") == 0o600)
    #expect(mode(place) == 0o700)
    #expect(AdminToken.make(in: place).token == first.token)
    #expect(try AdminToken.read(place + "/admin-token") == first.token)
    #expect(AdminToken.make(in: folder.file("other")).token != first.token)
  }

  @Test(arguments: ["", "short", "with a space in it, long enough", "ümläute-sind-zu-lang-genug"])
  func `what is no token is not taken`(text: String) {
    let path = folder.file("token")
    write([UInt8](text.utf8), to: path)
    #expect(throws: AdminError.self) { try AdminToken.read(path) }
  }

  @Test func `a token that others can read is replaced`() {
    let place = folder.file(".allim")
    let first = AdminToken.make(in: place)
    unsafe chmod(place + "/admin-token", 0o644)
    let second = AdminToken.make(in: place)
    #expect(second.isKept && second.token != first.token)
    #expect(mode(place + "/admin-token") == 0o600)
  }

  @Test func `a folder that cannot be written still gives a token`() {
    write([1], to: folder.file("file"))
    let made = AdminToken.make(in: folder.file("file"))
    #expect(!made.isKept && made.token.utf8.count == 64)
  }

  @Test func `the first line of a file is its token`() throws {
    let path = folder.file("token")
    write([UInt8]("abcdefghijklmnop\r\nmore\n".utf8), to: path)
    #expect(try AdminToken.read(path) == "abcdefghijklmnop")
    #expect(throws: AdminError.self) { try AdminToken.read(folder.file("missing")) }
  }
}
