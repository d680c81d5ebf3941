package import PushModel

/// One device, topic or condition that an event goes to, in the order of the event.
package struct PushTarget: Sendable {
  package internal(set) var provider = Provider.fcm
  package internal(set) var kind = TokenKind.device
  package internal(set) var platform: Platform?
  package internal(set) var environment = APNsEnvironment.production
  /// Index into `MessageCodec.credentialList`; -1 when the target is faulty.
  package internal(set) var credential: Int = -1
  /// When the app last handed the token in, UNIX milliseconds.
  package internal(set) var registeredAt: Int64?
  /// A token that was taken for a Firebase installation id by its shape alone.
  package internal(set) var isFIDByShape = false
  /// True for a topic or condition.
  package internal(set) var isTopic = false

  var token = Piece.none
  var activityToken = Piece.none
  var topic = Piece.none
  var recipient: Int32 = -1
  /// The device's token in the item; -1 for a topic or for a recipient that could not be read.
  var element: Int32 = -1
  /// Index of the fault; -1 = none.
  var fault: Int32 = -1

  package init() {}
}
