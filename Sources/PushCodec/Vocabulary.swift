import PushModel

/// The words a field may hold, found without making a String: devices come by the thousand. Its
/// memory belongs to `KeyTables`.
@safe struct Vocabulary<Value: CaseIterable & RawRepresentable> where Value.RawValue == String {
  /// One for each value.
  private let words: UnsafeMutableBufferPointer<(name: PackedKey, value: Value)>

  init() {
    let all = Value.allCases.map { (PackedKey($0.rawValue), $0) }
    unsafe words = .allocate(capacity: all.count)
    _ = unsafe words.initialize(from: all)
  }

  func deallocate() { unsafe words.deallocate() }

  /// The word of a field; nil when the field is absent.
  @inline(__always)
  func find(
    _ token: Int?, _ path: @autoclosure () -> FieldPath, _ content: EventContent
  ) throws(EventFault) -> Value? {
    guard let token else { return nil }
    let piece = try content.string(token, path())
    guard let found = find(piece, content) else {
      let allowed = Value.allCases.map(\.rawValue).joined(separator: ", ")
      throw .invalid(path(), "\(content.shown(token)) is none of \(allowed)")
    }
    return found
  }

  private func find(_ piece: Piece, _ content: EventContent) -> Value? {
    if piece.length > PackedKey.capacity { return nil }
    let name =
      piece.place == .item
      ? content.bytes.withItem {
        PackedKey(copy $0, at: Int(piece.start), count: Int(piece.count))
      }
      : content.bytes.withBytes(of: piece) { PackedKey(copy $0, at: 0, count: $0.count) }
    // Every index is below the number of words.
    for i in unsafe 0..<words.count where unsafe words[i].name == name {
      return unsafe words[i].value
    }
    return nil
  }
}
