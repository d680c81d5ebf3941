import Foundation
import PushModel
import TestSupport
import Testing

@testable import PushCodec

/// Random events of all fields and all Unicode: what is built is good, or a fault names a field.
@Suite struct RandomEventTests {
  @Test func `what is built is good, and what is refused is named`() async throws {
    let fixture = CodecFixture()
    var maker = RandomEvents(SeededRandom(seed: 20_261_130), now: CodecFixture.sentAt)
    var built = 0
    var refused = 0
    for _ in 0..<400 {
      await Task.yield()  // others share the few threads
      let text = maker.next()
      switch fixture.decode(text) {
      case .malformed(let fault):
        refused += 1
        #expect(!fault.detail.isEmpty && fault.reason != .invalidJSON, "\(text)")
      case .event(let event):
        for target in 0..<event.targetCount {
          let request = PushRequest()
          switch fixture.codec.build(event, target: target, now: CodecFixture.now, into: request) {
          case .built(let notes):
            built += 1
            check(request, notes, text)
          case .failed(let reason, let detail): #expect(!detail.isEmpty, "\(reason) \(text)")
          case .expired: Issue.record("expired: \(text)")
          }
        }
        let letter = fixture.codec.deadLetter(
          bytes: event.bytes, event: event, targets: [0],
          facts: LetterFacts(
            reason: .rejected, detail: "d", takenAt: 1, deadAt: 2, worker: "w"))
        #expect(JSONText(letter) != nil, "\(text)")
        fixture.codec.recycle(event)
      }
    }
    #expect(built > 300 && refused > 20)
  }

  private func check(_ request: PushRequest, _ notes: BuildNotes, _ event: String) {
    guard let text = JSONText(request.body), String(validating: request.body, as: UTF8.self) != nil
    else {
      Issue.record("not JSON: \(request.text) of \(event)")
      return
    }
    #expect(notes.bytes <= notes.limit, "\(event)")
    for token in text.tokens.indices where text.tokens[token].kind == .object {
      var seen: Set<[UInt8]> = []
      text.forEachMember(of: token) { key, _ in
        #expect(seen.insert(text.key(key)).inserted, "key twice: \(request.text)")
      }
    }
    if request.provider == .fcm {
      #expect(DiscoveryChecker.problems(request.body) == [], "\(event)")
      return
    }
    #expect(request.body.count <= request.pushType.maximumBodyBytes)
    checkAPNs(request, text, event)
  }

  private func checkAPNs(_ request: PushRequest, _ text: JSONText, _ event: String) {
    #expect(request.collapseID.count <= 64)
    #expect(request.collapseID.allSatisfy { $0 >= 0x20 && $0 != 0x7F })
    #expect(request.apnsID.count == 36)
    let aps = text.member("aps", of: 0)
    let shows = ["alert", "badge", "sound"].contains { text.member($0, of: aps) != nil }
    switch request.pushType {
    case .alert: #expect(shows, "\(request.text) of \(event)")
    case .background:
      #expect(!shows && request.priority == 5, "\(request.text) of \(event)")
      #expect(text.member("content-available", of: aps) != nil)
    default: break
    }
    #expect(String(decoding: request.topic, as: UTF8.self).hasSuffix(request.pushType.topicSuffix))
  }
}
