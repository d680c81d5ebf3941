import HTTP2

/// One service as a connection meets it: reads a request, judges it, writes the head of the
/// answer.
protocol ProviderSide: AnyObject {
  /// `production`, `sandbox`, or the FCM port.
  var name: String { get }
  /// The connection's settings at the start.
  var connectionOptions: ServerConnection.Options { get }
  /// Reads what rules and judgement need; called first for each request.
  func read(_ stream: ServerStream) -> ProviderName
  /// The target of the request last read, for rules.
  func target(_ stream: ServerStream) -> ArraySlice<UInt8>
  /// The answer by the law of protocol/; `inSecond` requests came in the second that ends now.
  func judge(_ stream: ServerStream, inSecond: Int) -> Reply
  /// The answer a rule asks for.
  func reply(to respond: Rule.Respond, status: Int) -> Reply
  /// Fills `hub.head` for this answer.
  func writeHead(of reply: Reply, for stream: ServerStream)
  /// The value to announce for SETTINGS_MAX_CONCURRENT_STREAMS after an answer; nil = as it is.
  func allowance(after status: Int) -> UInt32?
}
