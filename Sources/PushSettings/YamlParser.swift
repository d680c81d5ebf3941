internal import CYaml

/// Reads one YAML document with libyaml, without what makes YAML dangerous or surprising:
/// anchors and aliases (a few lines can grow to gigabytes), tags, keys given twice, a second
/// document, and depth without end.
@safe final class YamlParser {
  private static let maximumDepth = 64

  private let parser: UnsafeMutablePointer<yaml_parser_t>
  private let event: UnsafeMutablePointer<yaml_event_t>

  /// What is refused and can be passed over, in order.
  private(set) var problems: [YamlError] = []

  /// nil for a document without content. Throws what ends the reading.
  func parse(_ bytes: [UInt8]) throws(YamlError) -> YamlNode? {
    return try unsafe bytes.withUnsafeBufferPointer { bytes throws(YamlError) in
      // libyaml keeps the pointer: it may be used only inside of this closure.
      unsafe yaml_parser_set_input_string(parser, bytes.baseAddress, bytes.count)
      return try document()
    }
  }

  init() throws(YamlError) {
    unsafe parser = .allocate(capacity: 1)
    unsafe event = .allocate(capacity: 1)
    unsafe event.initialize(to: yaml_event_t())
    guard unsafe yaml_parser_initialize(parser) == 1 else {
      throw YamlError(line: 0, reason: "no memory to read it")
    }
  }

  deinit {
    unsafe yaml_event_delete(event)
    unsafe yaml_parser_delete(parser)
    unsafe event.deallocate()
    unsafe parser.deallocate()
  }

  private func document() throws(YamlError) -> YamlNode? {
    try advance()  // the stream
    guard try advance() == YAML_DOCUMENT_START_EVENT else { return nil }
    try advance()
    let root = try node(depth: 1)
    try advance()  // the end of the document
    guard try advance() == YAML_STREAM_END_EVENT else {
      throw YamlError(line: line, reason: "a second document is not allowed")
    }
    return root.isEmpty ? nil : root
  }

  /// The node that the current event begins.
  private func node(depth: Int) throws(YamlError) -> YamlNode {
    guard depth <= Self.maximumDepth else {
      throw YamlError(line: line, reason: "nested deeper than \(Self.maximumDepth) levels")
    }
    let start = line
    let data = unsafe event.pointee.data
    switch unsafe event.pointee.type {
    case YAML_SCALAR_EVENT:
      unsafe refuse(anchor: data.scalar.anchor, tag: data.scalar.tag)
      return unsafe .scalar(
        text(data.scalar.value, data.scalar.length), line: start,
        isPlain: data.scalar.style == YAML_PLAIN_SCALAR_STYLE)
    case YAML_SEQUENCE_START_EVENT:
      unsafe refuse(anchor: data.sequence_start.anchor, tag: data.sequence_start.tag)
      return .list(try list(depth), line: start)
    case YAML_MAPPING_START_EVENT:
      unsafe refuse(anchor: data.mapping_start.anchor, tag: data.mapping_start.tag)
      return .map(try map(depth), line: start)
    default: throw YamlError(line: start, reason: "aliases (*name) are not allowed")
    }
  }

  private func list(_ depth: Int) throws(YamlError) -> [YamlNode] {
    var items: [YamlNode] = []
    while try advance() != YAML_SEQUENCE_END_EVENT { items.append(try node(depth: depth + 1)) }
    return items
  }

  private func map(_ depth: Int) throws(YamlError) -> [YamlEntry] {
    var entries: [YamlEntry] = []
    while try advance() != YAML_MAPPING_END_EVENT {
      guard case .scalar(let key, let line, _) = try node(depth: depth + 1) else {
        throw YamlError(line: line, reason: "a key must be a word")
      }
      try advance()
      let value = try node(depth: depth + 1)
      if let first = entries.first(where: { $0.key == key }) {
        let reason = "key \"\(key)\" is given twice, first in line \(first.line)"
        problems.append(YamlError(line: line, reason: reason))
      } else {
        entries.append(YamlEntry(key: key, line: line, node: value))
      }
    }
    return entries
  }

  private func refuse(
    anchor: UnsafeMutablePointer<yaml_char_t>?, tag: UnsafeMutablePointer<yaml_char_t>?
  ) {
    if unsafe anchor != nil {
      problems.append(YamlError(line: line, reason: "anchors (&name) are not allowed"))
    }
    if unsafe tag != nil {
      problems.append(YamlError(line: line, reason: "tags (!name) are not allowed"))
    }
  }

  /// The line of the current event.
  private var line: Int { unsafe Int(event.pointee.start_mark.line) + 1 }

  @discardableResult private func advance() throws(YamlError) -> yaml_event_type_t {
    unsafe yaml_event_delete(event)
    guard unsafe yaml_parser_parse(parser, event) == 1 else { throw failure() }
    return unsafe event.pointee.type
  }

  private func failure() -> YamlError {
    let parser = unsafe parser.pointee
    let reason = unsafe parser.problem.map { unsafe String(cString: $0) } ?? "not YAML"
    // The reader knows no line, only an offset in bytes.
    guard unsafe parser.error != YAML_READER_ERROR else {
      return YamlError(line: 0, reason: unsafe "\(reason) at byte \(parser.problem_offset)")
    }
    return YamlError(line: unsafe Int(parser.problem_mark.line) + 1, reason: reason)
  }

  private func text(_ start: UnsafeMutablePointer<yaml_char_t>?, _ count: Int) -> String {
    unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }
}
