import PushModel

/// What an event says at its own level, without lists. Tokens are indices; -1 means absent.
struct EventFacts {
  var app = 0
  var type = 0
  var id = Piece.none
  var roomID = Piece.none
  var roomName = Piece.none
  var senderID = Piece.none
  var senderName = Piece.none
  var senderImage = Piece.none
  var messageID = Piece.none
  var messageText = Piece.none
  var title = Piece.none
  var subtitle = Piece.none
  var body = Piece.none
  var titleLocKey = Piece.none
  var locKey = Piece.none
  var titleLocArgs = -1
  var locArgs = -1
  var url = Piece.none
  var image = Piece.none
  var data = -1
  var time = EventTime()
  var collapseKey = Piece.none
  /// What the event asks for; nil = the type's.
  var priority: EventPriority?
  /// The wish for Apple devices: the event's `apns` block, its `pushType`, else the type's.
  var wish = PushType.alert
  var wishIsExplicit = false
  /// The `pushType` field.
  var explicitPushType: PushType?
  var channel = Piece.none
  var badge: Int32?
  var sound = SoundWish.unset
  var category = Piece.none
  var threadID = Piece.none
  var mutableContent = false
  var contentAvailable = false
  var interruptionLevel = Piece.none
  var relevanceScore = Piece.none
  var targetContentID = Piece.none
  var filterCriteria = Piece.none
  var activity = Activity()
  var topic = Piece.none
  var condition = Piece.none
  var apnsHeaders = -1
  var apnsPayload = -1
  var fcm = -1
  var traceparent = Piece.none
  var unknownFields = 0
  /// Display texts in which broken Unicode was replaced.
  var repairs = 0

  var hasText: Bool {
    !title.isEmpty || !subtitle.isEmpty || !body.isEmpty || !locKey.isEmpty
      || !titleLocKey.isEmpty
  }

  struct Activity {
    var isPresent = false
    var event = Piece.none
    var contentState = -1
    var attributesType = Piece.none
    var attributes = -1
    var staleDate = Piece.none
    var dismissalDate = Piece.none
    var alert = -1
    var timestamp = Piece.none
  }
}

/// What an event asks for as sound.
enum SoundWish {
  case unset
  case silent
  case named(Piece)
  /// A critical alert: file and volume (a number, or absent).
  case critical(Piece, volume: Piece)

  var isSound: Bool {
    switch self {
    case .named, .critical: true
    case .unset, .silent: false
    }
  }
}

/// When an event lives (EVENTS.md, `sentAt` to `notBefore`).
struct EventTime {
  /// Start of its life in UNIX milliseconds, before `notBefore` is looked at.
  var sentAt: Int64 = 0
  /// True when the producer gave no `sentAt` and the first take stands for it.
  var isEstimate = false
  /// UNIX seconds; 0 = at once.
  var notBefore: Int64 = 0
  /// `ttl` 0: one attempt only.
  var isOneShot = false
  /// UNIX seconds; from then on nothing is sent.
  var expiresAt: Int64 = 0
}

/// One key of the custom data that all targets of an event share.
struct DataEntry {
  var key: Piece
  /// A value of the item's tokens, or a piece.
  var token: Int32 = -1
  var piece = Piece.none
  /// Goes to APNs only (`image`, `senderImage`), and only beside text.
  var isForAPNs = false
}

/// What one recipient sets over its event.
struct RecipientFacts {
  /// Its own token in `recipients`; -1 in the short form.
  var element: Int32 = -1
  var devices: Int32 = -1
  var user = Piece.none
  var badge: Int32?
  var lastReadID = Piece.none
  var data: Int32 = -1
  /// Index of the fault that stops all its devices; -1 = none.
  var fault: Int32 = -1
}
