import Foundation
import PushModel
import Testing

@testable import PushCodec

/// Whole events as chat and meal servers push them, with everything each device gets.
///
/// `NAME.json` is the event, `NAME.txt` what is sent. When a change is meant, the new text is
/// written with ALLIM_WRITE_GOLDEN=1 and read by a person before it is kept.
@Suite struct GoldenTests {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Fixtures/golden")

  static let names: [String] = {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return files.filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }.sorted()
  }()

  private let fixture = CodecFixture {
    var meals = AppRules(name: "meals")
    meals.apns = AppRules.APNsRules(topic: "com.example.meals")
    meals.fcm = AppRules.FCMRules(projectID: "meals-project")
    meals.androidStyle = .data
    meals.channels["daily_menu"] = AppRules.ChannelRules(.none)
    $0.apps.append(meals)
    var promo = TypeRules()
    promo.priority = .normal
    promo.ttl = 3_600
    promo.title = "{room.name}"
    promo.body = "{sender.name}: {message.text}"
    $0.types["promo"] = promo
  }

  @Test func `there are golden events`() { #expect(Self.names.count >= 8) }

  @Test(arguments: names)
  func `an event becomes what its golden file says`(name: String) throws {
    let event = try String(contentsOf: Self.folder.appending(path: name + ".json"), encoding: .utf8)
    let text = try render(event)
    let file = Self.folder.appending(path: name + ".txt")
    if ProcessInfo.processInfo.environment["ALLIM_WRITE_GOLDEN"] != nil {
      try text.write(to: file, atomically: true, encoding: .utf8)
    }
    #expect(try text == String(contentsOf: file, encoding: .utf8))
  }

  private func render(_ text: String) throws -> String {
    let event = try fixture.event(text)
    var out = ""
    for target in 0..<event.targetCount {
      let request = PushRequest()
      out += "# \(target) \(event.redactedToken(of: target))\n"
      switch fixture.codec.build(event, target: target, now: CodecFixture.now, into: request) {
      case .built(let notes): out += try describe(request, notes)
      case .failed(let reason, let detail): out += "\(reason.rawValue): \(detail)\n"
      case .expired: out += "expired\n"
      }
    }
    return out
  }

  private func describe(_ request: PushRequest, _ notes: BuildNotes) throws -> String {
    var out = ""
    if request.provider == .apns {
      out += "apns-topic \(request.topicText)\napns-push-type \(request.pushType.rawValue)\n"
      out += "apns-priority \(request.priority)\napns-expiration \(request.expiration)\n"
      out += "apns-id \(String(decoding: request.apnsID, as: UTF8.self))\n"
      if !request.collapseID.isEmpty { out += "apns-collapse-id \(request.collapseText)\n" }
    } else {
      #expect(DiscoveryChecker.problems(request.body) == [])
    }
    out += "bytes \(notes.bytes) of \(notes.limit)\n"
    for sentence in notes.changes.sentences { out += "note \(sentence)\n" }
    return out + request.text + "\n"
  }
}
