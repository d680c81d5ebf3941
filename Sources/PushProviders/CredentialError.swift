/// Why a credential cannot be used. Names the file and the field; shows nothing of a key.
package struct CredentialError: Error, Sendable, Equatable {
  /// The file's path, or empty.
  package let file: String
  /// The field in the file or in the configuration, such as `private_key`; may be empty.
  package let field: String
  package let detail: String

  package init(file: String, field: String = "", _ detail: String) {
    self.file = file
    self.field = field
    self.detail = detail
  }

  /// For a person: `service-account.json: private_key: the private key is encrypted …`.
  package var text: String {
    [file, field, detail].filter { !$0.isEmpty }.joined(separator: ": ")
  }
}
