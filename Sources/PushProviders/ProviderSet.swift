package import HTTP2
package import PushModel
package import PushWorker

/// The providers of one shard with their pools; used on its loop's thread alone.
package final class ProviderSet {
  private var pools: [(key: CredentialKey, pool: ConnectionPool)] = []
  package private(set) var providers: [CredentialKey: any PushProvider] = [:]
  /// The same in the order of the configuration.
  package private(set) var all: [any PushProvider] = []

  func add(_ provider: any PushProvider, _ pool: ConnectionPool) {
    providers[provider.key] = provider
    all.append(provider)
    pools.append((provider.key, pool))
  }

  /// The pools' figures, for metrics and the page.
  package var snapshots: [(key: CredentialKey, pool: PoolSnapshot)] {
    pools.map { ($0.key, $0.pool.snapshot) }
  }

  /// Ends all connections after their requests.
  package func shutDown() async {
    for provider in all { await provider.shutDown() }
  }
}
