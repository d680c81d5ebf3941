/// One message for one target as it goes to the provider, without transport and credential.
///
/// A lane owns one and reuses it with the memory of its buffers. A class, since a provider reads it
/// while it waits for an answer: a copy would count six more owners for each push. Nobody may write
/// to it meanwhile.
package final class PushRequest {
  package var provider = Provider.apns
  /// APNs: the device token in lower-case hex, the last part of `:path`. Empty for FCM.
  package var deviceToken: [UInt8] = []
  /// The lower-case UUID of `apns-id`, 36 bytes; the same on every attempt.
  package var apnsID: [UInt8] = []
  /// `apns-topic` with its suffix.
  package var topic: [UInt8] = []
  package var pushType = PushType.alert
  /// `apns-priority`: 10, 5 or 1.
  package var priority: UInt8 = 10
  /// `apns-expiration` in UNIX seconds; 0 = one delivery attempt.
  package var expiration: Int64 = 0
  /// `apns-collapse-id`, at most 64 bytes; empty = no such header.
  package var collapseID: [UInt8] = []
  /// Headers the event's `apns.headers` block added, names in lower case.
  package var extraHeaders: [(name: [UInt8], value: [UInt8])] = []
  /// The JSON body: the APNs payload, or FCM's `{"message":…}`.
  package var body: [UInt8] = []
  /// Whose device it is, when the event says so; FCM serves all of them.
  package var platform: Platform?
  /// FCM: the target was taken for a Firebase installation id by its shape alone.
  package var isFIDByShape = false

  package init() {}

  /// Forgets what only some messages have, before the next one is built: the builder writes every
  /// other field anew, over the bytes of the last message.
  package func reset(provider: Provider) {
    self.provider = provider
    pushType = .alert
    priority = 10
    expiration = 0
    platform = nil
    isFIDByShape = false
    if !collapseID.isEmpty { collapseID.removeAll(keepingCapacity: true) }
    if !extraHeaders.isEmpty { extraHeaders.removeAll(keepingCapacity: true) }
  }

  /// Empties what a message to FCM does not have.
  package func clearAPNs() {
    if !deviceToken.isEmpty { deviceToken.removeAll(keepingCapacity: true) }
    if !apnsID.isEmpty { apnsID.removeAll(keepingCapacity: true) }
    if !topic.isEmpty { topic.removeAll(keepingCapacity: true) }
  }
}
