/// The payload limits of protocol/fcm.md 2.7: UTF-8 bytes of the keys and values of `data`, and of
/// title, body and image.
struct FCMSizeCheck {
  let view: FCMMessageView

  func check() throws(FCMRefusal) {
    let isFanOut = view.targets.contains { $0.kind == .topic || $0.kind == .condition }
    let limit = isFanOut ? 2_048 : 4_096
    let shown = view.notification.map { texts(of: $0) } ?? 0
    let data = view.data.map { bytes(of: $0) } ?? 0
    if shown + data > limit {
      throw .invalid("Message is too large. The maximum is \(limit / 1_024)K (\(limit) bytes).")
    }
    if androidBytes(shown: shown, data: data) > limit {
      throw .invalid("Android message is too big")
    }
    // APNs' own limit holds for what FCM makes of it: the payload and the data beside it.
    if let payload = view.apns.flatMap({ view.text.given("payload", of: $0) }),
      view.text.raw(payload).count + data > 4_096
    {
      throw .invalid("iOS message is too big")
    }
  }

  /// The platform's data replaces the common one, its texts override the common ones.
  private func androidBytes(shown: Int, data: Int) -> Int {
    let block = view.android ?? view.androidV2
    let own = block.flatMap { view.text.given("data", of: $0) }.map { bytes(of: $0) }
    let ownTexts = view.androidNotification.map { texts(of: $0) } ?? 0
    return max(shown, ownTexts) + (own ?? data)
  }

  private func texts(of notification: Int) -> Int {
    let names: [StaticString] = ["title", "body", "image"]
    return names.reduce(0) { sum, name in
      sum + (view.text.given(name, of: notification).map { view.text.utf8($0).count } ?? 0)
    }
  }

  private func bytes(of object: Int) -> Int {
    view.members(object).reduce(0) { sum, member in
      sum + view.text.utf8(member.key).count + view.text.utf8(member.value).count
    }
  }
}
