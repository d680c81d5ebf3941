package import PushModel

/// Why an event, a recipient or a device cannot become a push: for a dead letter.
package struct EventFault: Error, Sendable, Equatable {
  package let reason: DeadReason
  /// Names the field, the value when it is no secret, and what is allowed; never a token or text.
  package let detail: String

  package init(_ reason: DeadReason, _ detail: String) {
    self.reason = reason
    self.detail = detail
  }

  static func invalid(_ path: FieldPath, _ what: String) -> EventFault {
    EventFault(.invalidEvent, "\(path): \(what)")
  }
}

/// Where a field stands in an event, such as `recipients[1].devices[0].token`.
struct FieldPath: CustomStringConvertible {
  var recipient = -1
  var device = -1
  var parent: StaticString = ""
  var name: StaticString

  init(_ name: StaticString, in parent: StaticString = "") {
    self.name = name
    self.parent = parent
  }

  func named(_ name: StaticString) -> FieldPath {
    var path = self
    path.name = name
    return path
  }

  var description: String {
    var text = recipient < 0 ? "" : "recipients[\(recipient)]"
    if device >= 0 { text += (text.isEmpty ? "" : ".") + "devices[\(device)]" }
    for part in ["\(parent)", "\(name)"] where !part.isEmpty {
      text += (text.isEmpty ? "" : ".") + part
    }
    return text
  }
}
