import PushModel

/// Makes title and body from the type's templates where the event gives none (EVENTS.md, "Types and
/// their defaults").
struct TextMaker {
  let rules: CompiledRules

  func fill(_ content: EventContent) {
    let type = content.facts.type
    if content.facts.title.isEmpty, content.facts.titleLocKey.isEmpty {
      content.facts.title =
        rules.types[type].title.map { make($0, content) }
        ?? builtInTitle(rules.types[type].builtIn, content)
    }
    if content.facts.body.isEmpty, content.facts.locKey.isEmpty {
      content.facts.body =
        rules.types[type].body.map { make($0, content) }
        ?? builtInBody(rules.types[type].builtIn, content)
    }
  }

  private func builtInTitle(_ type: BuiltInType?, _ content: EventContent) -> Piece {
    switch type {
    case .message: content.facts.roomName.orIfEmpty(content.facts.senderName)
    case .call, .callEnd: content.facts.senderName
    case .notice, .read, .withdraw, .sync, nil: .none
    }
  }

  private func builtInBody(_ type: BuiltInType?, _ content: EventContent) -> Piece {
    switch type {
    case .message:
      let text = messageText(content)
      // In a named room the title is the room, so the body names the sender.
      if content.facts.roomName.isEmpty || content.facts.senderName.isEmpty { return text }
      if text.isEmpty { return content.facts.senderName }
      let start = content.bytes.arena.count
      content.bytes.copyToArena(content.facts.senderName)
      content.bytes.copyToArena(rules.names.colon)
      content.bytes.copyToArena(text)
      let isPlain = content.facts.senderName.form == .plain && text.form == .plain
      return Piece(.arena, start..<content.bytes.arena.count, isPlain ? .plain : .text)
    case .callEnd: return rules.apps[content.facts.app].textMissedCall
    case .call, .notice, .read, .withdraw, .sync, nil: return .none
    }
  }

  /// The message's text; for an image without text the app's word for it.
  private func messageText(_ content: EventContent) -> Piece {
    if !content.facts.messageText.isEmpty || content.facts.image.isEmpty {
      return content.facts.messageText
    }
    return rules.apps[content.facts.app].textImage
  }

  private func value(_ place: Template.Place, _ content: EventContent) -> Piece {
    switch place {
    case .roomName: content.facts.roomName
    case .roomID: content.facts.roomID
    case .senderName: content.facts.senderName
    case .senderID: content.facts.senderID
    case .messageText: messageText(content)
    case .messageID: content.facts.messageID
    }
  }

  private func make(_ template: Template, _ content: EventContent) -> Piece {
    var pieces: [Piece] = []
    for (i, part) in template.parts.enumerated() {
      switch part {
      case .place(let place): pieces.append(value(place, content))
      case .words(let words):
        let before = neighbour(template, i - 1, content)
        let after = neighbour(template, i + 1, content)
        if before, after { pieces.append(words) }
      }
    }
    return join(pieces, content)
  }

  /// True when the part beside some words has a value, or there is none.
  private func neighbour(_ template: Template, _ index: Int, _ content: EventContent) -> Bool {
    guard template.parts.indices.contains(index), case .place(let place) = template.parts[index]
    else { return true }
    return !value(place, content).isEmpty
  }

  private func join(_ pieces: [Piece], _ content: EventContent) -> Piece {
    let present = pieces.filter { !$0.isEmpty }
    if present.count <= 1 {
      var only = present.first ?? .none
      // A number is shown as text here.
      if only.form == .number { only.form = .plain }
      return only
    }
    let start = content.bytes.arena.count
    for piece in present { content.bytes.copyToArena(piece) }
    let form: Piece.Form = present.contains { $0.form == .text } ? .text : .plain
    return Piece(.arena, start..<content.bytes.arena.count, form)
  }
}
