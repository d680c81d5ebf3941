/// What the flags of `allim-sim` set; the defaults are the contract's.
package struct SimulatorOptions: Sendable {
  /// Where keys, certificates and the example configuration stand; made when absent.
  package var directory: String
  /// 0 lets the system choose, for each port.
  package var apnsPort = 2_197
  package var sandboxPort = 2_198
  package var fcmPort = 8_443
  package var controlPort = 8_090
  /// The bundle ids the key may push to, each with every suffix.
  package var topics = ["com.example.chat"]
  /// A file of rules to start with.
  package var rulesFile: String?
  /// A file that gets every request as a JSON line.
  package var recordFile: String?
  /// Requests kept for `GET /received`; older ones are dropped.
  package var keep = 100_000
  /// Requests are counted and not kept: for load.
  package var countOnly = false
  /// SETTINGS_MAX_CONCURRENT_STREAMS of the APNs side.
  package var maxStreams = 1_000
  /// One stream until the first accepted push on a token connection, and after a rejection
  /// (protocol/apns.md 12).
  package var strictStreams = false
  /// More than 100 requests in a second on a connection are answered 429.
  package var enforceRate = false
  /// Seconds by which the simulator's clock is ahead.
  package var clockOffset: Int64 = 0
  /// Life of an OAuth2 access token in seconds (protocol/fcm.md 4).
  package var tokenTTL: Int64 = 3_599
  /// Milliseconds every answer waits.
  package var latency: Int64 = 0

  package init(directory: String) { self.directory = directory }
}
