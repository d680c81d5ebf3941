import PushCrypto

/// The Google service account of the simulator (protocol/fcm.md 4); its token URI is the
/// simulator's own.
struct ServiceAccount {
  static let projectID = "allim-sim"
  static let email = "push@allim-sim.iam.gserviceaccount.com"
  static let keyID = "5aa1e5aa1e5aa1e5aa1e5aa1e5aa1e5aa1e5aa1e"

  let key: PublicKey
  let tokenURI: String

  init(key: PublicKey, fcmPort: Int) {
    self.key = key
    tokenURI = "https://localhost:\(fcmPort)/token"
  }

  /// The key file as Google's console gives it out.
  func file(privateKeyPEM: [UInt8]) -> [UInt8] {
    var out = JSONLine()
    out.open()
    out.add("type", "service_account")
    out.add("project_id", Self.projectID)
    out.add("private_key_id", Self.keyID)
    out.add("private_key", privateKeyPEM)
    out.add("client_email", Self.email)
    out.add("client_id", "100000000000000000000")
    out.add("token_uri", tokenURI)
    out.close()
    return out.bytes + [UInt8(ascii: "\n")]
  }
}
