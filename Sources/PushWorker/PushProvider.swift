package import PushModel

/// One credential of one provider on one loop: the seam to APNs and FCM.
package protocol PushProvider: AnyObject {
  var key: CredentialKey { get }
  /// Sends one message and says what became of it; never throws, since from here on what happened
  /// is data. Returns within the request's deadline plus the wait for a connection.
  func send(_ request: PushRequest) async -> SendOutcome
  /// Stops opening connections and ends the open ones after their requests.
  func shutDown() async
  /// Ends all sends under way at once, as unknown or never sent: a shutdown's time is over.
  func cutOff()
}
