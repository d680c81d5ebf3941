import PushModel

// When an event lives.
extension EventReader {
  /// From here on a moment is in milliseconds, which is refused and never guessed.
  private static let tooLarge: Int64 = 100_000_000_000
  /// Below it is a duration.
  private static let tooSmall: Int64 = 1_000_000_000

  func readTime(_ fields: borrowing Fields<EventKey>, _ content: EventContent)
    throws(EventFault)
  {
    var time = EventTime()
    let sent = try milliseconds(fields[.sentAt], FieldPath("sentAt"), content)
    time.sentAt = sent ?? firstTaken
    time.isEstimate = sent == nil
    time.notBefore = try seconds(fields[.notBefore], FieldPath("notBefore"), content) ?? 0
    if time.notBefore > now / 1_000 + 2_592_000 {
      throw .invalid(FieldPath("notBefore"), "more than 30 days ahead")
    }
    let ttl = try content.integer(fields[.ttl], in: 0...2_592_000, FieldPath("ttl"))
    let expiresAt = try seconds(fields[.expiresAt], FieldPath("expiresAt"), content)
    if ttl != nil, expiresAt != nil {
      throw .invalid(FieldPath("expiresAt"), "given together with ttl")
    }
    let start = max(time.sentAt, time.notBefore * 1_000)
    let life = ttl ?? rules.types[content.facts.type].ttl
    time.isOneShot = expiresAt == nil && life == 0
    // One attempt makes sense for 30 s only (EVENTS.md, `ttl`).
    time.expiresAt = expiresAt ?? start / 1_000 + (life == 0 ? 30 : life)
    content.facts.time = time
  }

  /// A moment in whole UNIX seconds.
  @inline(__always)
  func seconds(
    _ token: Int?, _ path: @autoclosure () -> FieldPath, _ content: EventContent
  ) throws(EventFault) -> Int64? {
    guard let token else { return nil }
    return try givenSeconds(token, path(), content)
  }

  private func givenSeconds(
    _ token: Int, _ path: FieldPath, _ content: EventContent
  ) throws(EventFault) -> Int64 {
    guard let value = content.integer(content.tokens[token]) else {
      throw .invalid(path, "\(content.shown(token)) is not an integer of UNIX seconds")
    }
    try checkMoment(value, token, path, content)
    return value
  }

  /// A moment in UNIX seconds with a fraction, as milliseconds.
  private func milliseconds(
    _ token: Int?, _ path: FieldPath, _ content: EventContent
  ) throws(EventFault) -> Int64? {
    guard let token else { return nil }
    if let whole = content.integer(content.tokens[token]) {
      try checkMoment(whole, token, path, content)
      return whole * 1_000
    }
    if let value = decimal(content.tokens[token], content) {
      try checkMoment(value / 1_000, token, path, content)
      return value
    }
    guard let value = content.double(content.tokens[token]), value.magnitude < 1e15 else {
      throw .invalid(path, "\(content.shown(token)) is not a number of UNIX seconds")
    }
    try checkMoment(Int64(value), token, path, content)
    return Int64(value * 1_000)
  }

  /// Ten digits with a fraction, as milliseconds: the usual form, without a detour over Double.
  private func decimal(_ token: JSONToken, _ content: EventContent) -> Int64? {
    guard token.kind == .number, token.count > 11, token.count <= 24 else { return nil }
    return content.bytes.withBytes(of: Piece(token)) { text in
      guard text[10] == UInt8(ascii: ".") else { return nil }
      var value: Int64 = 0
      for i in 0..<14 where i != 10 {
        let digit = i < text.count ? text[i] &- 0x30 : 0
        guard digit < 10 else { return nil }
        value = value * 10 + Int64(digit)
      }
      for i in min(14, text.count)..<text.count where text[i] &- 0x30 > 9 { return nil }
      return value
    }
  }

  private func checkMoment(
    _ value: Int64, _ token: Int, _ path: FieldPath, _ content: EventContent
  ) throws(EventFault) {
    if value >= Self.tooLarge {
      throw .invalid(path, "\(content.shown(token)) looks like milliseconds, seconds are due")
    }
    if value < Self.tooSmall {
      throw .invalid(path, "\(content.shown(token)) is no moment in UNIX seconds")
    }
  }
}
