internal import PushCodec
package import PushCrypto

/// A Google service account's key file (fcm.md 4).
package struct ServiceAccount: Sendable {
  package let projectID: String
  package let clientEmail: String
  package let keyID: String
  package let tokenURI: String
  package let key: PrivateKey

  /// Reads and checks a key file, so that nothing of it can fail later.
  package static func load(path: String) throws(CredentialError) -> ServiceAccount {
    try ServiceAccount(json: try KeyFile.read(path), file: path)
  }

  /// - Parameter file: the name for errors.
  package init(json: [UInt8], file: String) throws(CredentialError) {
    let text: JSONText
    do throws(JSONFault) {
      text = try JSONText(json)
    } catch {
      throw CredentialError(file: file, "is not JSON: \(error.detail)")
    }
    func field(_ name: String, default fallback: String? = nil) throws(CredentialError) -> String {
      guard let value = text.string(name, of: text.root) ?? fallback else {
        throw CredentialError(file: file, field: name, "is missing")
      }
      // They are written into the assertion's JSON as they are.
      guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C }) else {
        throw CredentialError(file: file, field: name, "has characters it cannot have")
      }
      return value
    }
    clientEmail = try field("client_email")
    projectID = try field("project_id", default: "")
    keyID = try field("private_key_id", default: "")
    tokenURI = try field("token_uri", default: "https://oauth2.googleapis.com/token")
    key = try Self.key(text.bytes("private_key", of: text.root), file)
  }

  private static func key(
    _ pem: [UInt8]?, _ file: String
  ) throws(CredentialError) -> PrivateKey {
    guard let pem else { throw CredentialError(file: file, field: "private_key", "is missing") }
    do throws(CryptoError) {
      let key = try PrivateKey(pem: pem)
      guard key.kind == .rsa else { throw CryptoError(.wrongKind, "an RSA key is needed") }
      return key
    } catch {
      throw CredentialError(file: file, field: "private_key", error.detail)
    }
  }
}
