/// JSON Merge Patch (RFC 7396): null deletes, objects merge, all else replaces.
enum JSONMerge {
  static func merge(_ base: JSONText, _ patch: JSONText, patchRoot: Int = 0) -> [UInt8] {
    var writer = JSONWriter()
    merge(base, 0, patch, patchRoot, &writer)
    return writer.out.array()
  }

  private static func merge(
    _ base: JSONText, _ target: Int?, _ patch: JSONText, _ change: Int, _ writer: inout JSONWriter
  ) {
    guard patch.tokens[change].kind == .object else {
      return writer.value(change, patch.tokens.span, patch.bytes.span)
    }
    writer.byte(UInt8(ascii: "{"))
    let object = target.flatMap { base.tokens[$0].kind == .object ? $0 : nil }
    if let object { mergeKnown(base, object, patch, change, &writer) }
    patch.forEachMember(of: change) { key, value in
      let name = patch.key(key)
      if patch.tokens[value].kind == .null { return }
      // Of a key given twice the last one counts.
      if patch.member(name, of: change) != value { return }
      if let object, base.member(name, of: object) != nil { return }
      writer.comma()
      writer.string(patch.tokens[key], patch.bytes.span)
      writer.byte(UInt8(ascii: ":"))
      merge(base, nil, patch, value, &writer)
    }
    writer.close()
  }

  private static func mergeKnown(
    _ base: JSONText, _ object: Int, _ patch: JSONText, _ change: Int, _ writer: inout JSONWriter
  ) {
    base.forEachMember(of: object) { key, value in
      let changed = patch.member(base.key(key), of: change)
      if let changed, patch.tokens[changed].kind == .null { return }
      writer.comma()
      writer.string(base.tokens[key], base.bytes.span)
      writer.byte(UInt8(ascii: ":"))
      if let changed {
        merge(base, value, patch, changed, &writer)
      } else {
        writer.value(value, base.tokens.span, base.bytes.span)
      }
    }
  }
}
