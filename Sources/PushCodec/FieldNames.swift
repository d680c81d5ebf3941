import PushModel

/// The keys of an event (EVENTS.md 1).
enum EventKey: UInt8, CaseIterable {
  case v, id, type, app, room, sender, message, title, subtitle, body, titleLocKey, titleLocArgs
  case locKey, locArgs, url, data, sentAt, ttl, expiresAt, notBefore, collapseKey, priority
  case pushType, channel, badge, sound, image, category, threadId, mutableContent
  case contentAvailable, interruptionLevel, relevanceScore, targetContentId, filterCriteria
  case liveActivity, recipients, devices, user, lastReadId, topic, condition, apns, fcm
  case traceparent
}

/// The keys of `room`, `sender` and `message`.
enum PartKey: UInt8, CaseIterable { case id, name, image, text }

/// The keys of a recipient.
enum RecipientKey: UInt8, CaseIterable { case user, badge, lastReadId, data, devices }

/// The keys of a device.
enum DeviceKey: UInt8, CaseIterable {
  case platform, provider, token, fid, voipToken, liveActivityToken, environment, apnsTopic, id
  case registeredAt
}

/// The keys of `liveActivity`.
enum ActivityKey: UInt8, CaseIterable {
  case event, contentState, attributesType, attributes, staleDate, dismissalDate, alert, timestamp
}

/// The keys of `sound`.
enum SoundKey: UInt8, CaseIterable { case name, critical, volume }

/// The keys of `apns`.
enum ApnsKey: UInt8, CaseIterable { case headers, payload }

/// One table for each kind of object and each set of words; made once per codec. It owns their
/// memory.
final class KeyTables {
  let event = KeyTable<EventKey>()
  let part = KeyTable<PartKey>()
  let recipient = KeyTable<RecipientKey>()
  let device = KeyTable<DeviceKey>()
  let activity = KeyTable<ActivityKey>()
  let sound = KeyTable<SoundKey>()
  let apns = KeyTable<ApnsKey>()
  let platforms = Vocabulary<Platform>()
  let providers = Vocabulary<Provider>()
  let environments = Vocabulary<APNsEnvironment>()
  let priorities = Vocabulary<EventPriority>()
  let pushTypes = Vocabulary<PushType>()
  let levels = Vocabulary<InterruptionLevel>()
  let activityEvents = Vocabulary<ActivityEvent>()

  deinit {
    event.deallocate()
    part.deallocate()
    recipient.deallocate()
    device.deallocate()
    activity.deallocate()
    sound.deallocate()
    apns.deallocate()
    platforms.deallocate()
    providers.deallocate()
    environments.deallocate()
    priorities.deallocate()
    pushTypes.deallocate()
    levels.deallocate()
    activityEvents.deallocate()
  }
}
