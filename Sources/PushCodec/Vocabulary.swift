import PushModel

/// The words a field may hold, found without making a String: devices come by the thousand.
struct Vocabulary<Value: CaseIterable & RawRepresentable> where Value.RawValue == String {
  private let words: [(bytes: [UInt8], value: Value)]

  init() { words = Value.allCases.map { ([UInt8]($0.rawValue.utf8), $0) } }

  /// The word of a field; nil when the field is absent.
  func find(
    _ token: Int?, _ path: FieldPath, _ content: EventContent
  ) throws(EventFault) -> Value? {
    guard let token else { return nil }
    let piece = try content.string(token, path)
    let found = content.bytes.withBytes(of: piece) { find($0) }
    if let found { return found }
    let allowed = words.map(\.value.rawValue).joined(separator: ", ")
    throw .invalid(path, "\(content.shown(token)) is none of \(allowed)")
  }

  private func find(_ text: borrowing Span<UInt8>) -> Value? {
    for i in words.indices where words[i].bytes.count == text.count {
      var isEqual = true
      for at in 0..<text.count where words[i].bytes[at] != text[at] {
        isEqual = false
        break
      }
      if isEqual { return words[i].value }
    }
    return nil
  }
}
