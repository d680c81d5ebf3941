/// A token as it stands in `authorization`, with the number that tells it from others.
package struct ProviderToken: Sendable, Equatable {
  /// `bearer <JWT>` or `Bearer <access token>`. Never for a log.
  let authorization: [UInt8]
  /// Counts up with each token of a source.
  package let serial: Int
}
