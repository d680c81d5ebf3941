import PushCodec
import TestSupport
import Testing

@testable import PushSimulator

/// The table in the code against Google's document, where that is at hand.
@Suite struct FCMSchemasTests {
  private static let document: JSONText? = {
    let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    return read("/\(root)/../shared/protocol/fcm-v1-discovery.json").flatMap { JSONText($0) }
  }()

  @Test(.enabled(if: document != nil))
  func `every field of the document is in the table and no other`() throws {
    let document = try #require(Self.document)
    var seen: Set<String> = []
    compare(FCMSchemas.request, "SendMessageRequest", document, &seen)
    #expect(seen.count == 18)
  }

  private func compare(
    _ shape: FCMMessageShape, _ schema: String, _ document: JSONText, _ seen: inout Set<String>
  ) {
    guard seen.insert(schema).inserted else { return }
    let place = "schemas.\(schema).properties"
    let wanted = names(document, place)
    #expect(Set(shape.fields.map { "\($0.camel)" }) == wanted, "\(schema)")
    for field in shape.fields {
      let at = "\(place).\(field.camel)"
      let type = document["\(at).type"]
      let reference = document["\(at).$ref"]
      switch field.shape {
      case .message(let inner):
        #expect(reference != nil, "\(at)")
        if let reference { compare(inner, reference, document, &seen) }
      case .string: #expect(type == "string", "\(at)")
      case .boolean: #expect(type == "boolean", "\(at)")
      case .int32: #expect(document["\(at).format"] == "int32", "\(at)")
      case .float: #expect(document["\(at).format"] == "float", "\(at)")
      case .duration: #expect(document["\(at).format"] == "google-duration", "\(at)")
      case .timestamp: #expect(document["\(at).format"] == "google-datetime", "\(at)")
      case .strings: #expect(document["\(at).additionalProperties.type"] == "string", "\(at)")
      case .anyObject: #expect(document["\(at).additionalProperties.type"] == "any", "\(at)")
      case .list: #expect(type == "array", "\(at)")
      case .enumeration(_, let words):
        for (number, word) in words.enumerated() {
          #expect(document["\(at).enum.\(number)"] == word, "\(at)")
        }
        #expect(document["\(at).enum.\(words.count)"] == nil, "\(at)")
      }
      #expect("\(field.snake)" == snake("\(field.camel)"), "\(at)")
    }
  }

  private func names(_ document: JSONText, _ path: String) -> Set<String> {
    guard let raw = document[path], let object = JSONText(Array(raw.utf8)) else { return [] }
    var names: Set<String> = []
    object.forEachMember(of: 0) { key, _ in
      names.insert(object.string(key))
      return true
    }
    return names
  }

  private func snake(_ camel: String) -> String {
    camel.reduce(into: "") { $0 += $1.isUppercase ? "_" + $1.lowercased() : String($1) }
  }
}
