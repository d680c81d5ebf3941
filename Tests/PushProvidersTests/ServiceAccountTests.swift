import PushCrypto
import TestSupport
import Testing

@testable import PushProviders

@Suite struct ServiceAccountTests {
  private static let key = (try? PrivateKey.makeRSA2048()).map { text($0.pem) } ?? ""

  @Test(arguments: ["\n", "\r\n", "\\n", "\\r\\n", " ", ""])
  func `the key is read however its line breaks were mangled`(lineBreak: String) throws {
    let json = text(serviceAccountJSON(key: "\n\n"))
    let mangled = Self.key.replacing("\n", with: lineBreak)
      .replacing("\\", with: "\\\\").replacing("\r\n", with: "\\r\\n")
      .replacing("\n", with: "\\n")
    let account = try ServiceAccount(
      json: bytes(json.replacing("\\n\\n", with: mangled)), file: "a.json")
    #expect(account.key.kind == .rsa)
    #expect(account.projectID == "demo")
    #expect(account.clientEmail == "push@demo.iam.gserviceaccount.com")
  }

  @Test func `real line breaks inside the JSON are refused with their place`() {
    let json = bytes(#"{"private_key":"\#(Self.key)"}"#)
    let error = refusal(of: json)
    #expect(error?.file == "a.json")
    #expect(error?.detail.contains("at byte") == true)
    #expect(error?.text.contains("MII") == false)
  }

  @Test func `what is missing or wrong is named by file and field`() throws {
    #expect(refusal(of: bytes("{}"))?.field == "client_email")
    #expect(refusal(of: bytes("[]"))?.field == "client_email")
    #expect(refusal(of: bytes(#"{"client_email":"a"}"#))?.field == "private_key")
    #expect(refusal(of: bytes(#"{"client_email":"a\"b"}"#))?.field == "client_email")
    #expect(refusal(of: bytes(#"{"client_email":"a","private_key":7}"#))?.field == "private_key")
    let wrong = text(try PrivateKey.makeP256().pem)
    let error = refusal(of: serviceAccountJSON(key: wrong))
    #expect(error?.field == "private_key")
    #expect(error?.text.contains("RSA") == true)
  }

  @Test func `a file is read, a missing one is named`() throws {
    let folder = TemporaryFolder()
    write(serviceAccountJSON(key: Self.key), to: folder.file("a.json"))
    #expect(try ServiceAccount.load(path: folder.file("a.json")).keyID == "kid-1")
    do throws(CredentialError) {
      _ = try ServiceAccount.load(path: folder.file("b.json"))
      Issue.record("read")
    } catch {
      #expect(error.text == "\(folder.file("b.json")): No such file or directory")
    }
  }

  private func refusal(of json: [UInt8]) -> CredentialError? {
    do throws(CredentialError) {
      _ = try ServiceAccount(json: json, file: "a.json")
      return nil
    } catch { return error }
  }
}
