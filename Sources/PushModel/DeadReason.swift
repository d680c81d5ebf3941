/// Why an event ended on the dead-letter list: the closed set of EVENTS.md 2.
package enum DeadReason: String, Sendable, Hashable, CaseIterable {
  case invalidJSON = "invalid_json"
  case invalidEvent = "invalid_event"
  case unsupportedVersion = "unsupported_version"
  case unknownType = "unknown_type"
  case unknownApp = "unknown_app"
  case noCredential = "no_credential"
  case noTargets = "no_targets"
  case payloadTooLarge = "payload_too_large"
  case itemTooLarge = "item_too_large"
  case rejected
  case attemptsExhausted = "attempts_exhausted"
  case expired
  case poison
}
