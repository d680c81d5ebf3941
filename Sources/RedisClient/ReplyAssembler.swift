internal import CHiredis

/// Puts replies together from what hiredis parses: it calls the functions here for each value, arrays
/// before their elements.
///
/// hiredis' own would allocate a structure for each value and copy each text once more, only for it
/// to be copied from there.
@safe final class ReplyAssembler {
  /// Lives as long as the assembler.
  let functions: UnsafeMutablePointer<redisReplyObjectFunctions>
  /// Arrays whose elements have not all come, the outermost first.
  private var open: [(values: [RedisReply], missing: Int)] = []
  private var reply: RedisReply?

  /// What a peer announces is not believed until it comes.
  private static let mostReserved = 1_024

  init() {
    unsafe functions = .allocate(capacity: 1)
    unsafe functions.initialize(
      to: redisReplyObjectFunctions(
        createString: { task, text, count in
          unsafe assemble(task) { unsafe value(task!.pointee.type, text, count) }
        },
        createArray: { task, count in unsafe with(task) { unsafe $0.openArray(Int(count)) } },
        createInteger: { task, value in unsafe assemble(task) { .integer(Int64(value)) } },
        createNil: { task in unsafe assemble(task) { .null } },
        freeObject: { _ in }))
  }

  deinit { unsafe functions.deallocate() }

  /// The reply that is complete, if one is.
  func takeReply() -> RedisReply? { reply.take() }

  fileprivate func openArray(_ count: Int) -> UnsafeMutableRawPointer? {
    if count <= 0 { return unsafe add(.array([])) }
    var values: [RedisReply] = []
    values.reserveCapacity(min(count, Self.mostReserved))
    open.append((values, count))
    return unsafe isThere
  }

  /// Adds a value to the innermost array, which may complete it and those around it.
  fileprivate func add(_ value: consuming RedisReply) -> UnsafeMutableRawPointer? {
    var value = value
    while let last = open.indices.last {
      open[last].values.append(consume value)
      open[last].missing -= 1
      if open[last].missing > 0 { return unsafe isThere }
      value = .array(open.removeLast().values)
    }
    reply = consume value
    return unsafe isThere
  }
}

/// hiredis asks for an object and only looks whether there is one.
private var isThere: UnsafeMutableRawPointer? { unsafe UnsafeMutableRawPointer(bitPattern: 1) }

private func assemble(
  _ task: UnsafePointer<redisReadTask>?, _ value: () -> RedisReply
) -> UnsafeMutableRawPointer? {
  unsafe with(task) { unsafe $0.add(value()) }
}

/// The assembler is its reader's, and so lives longer than any call of hiredis.
private func with(
  _ task: UnsafePointer<redisReadTask>?,
  _ body: (ReplyAssembler) -> UnsafeMutableRawPointer?
) -> UnsafeMutableRawPointer? {
  let assembler = unsafe Unmanaged<ReplyAssembler>.fromOpaque(task!.pointee.privdata)
  return unsafe assembler._withUnsafeGuaranteedRef { unsafe body($0) }
}

private func value(
  _ type: Int32, _ text: UnsafeMutablePointer<CChar>?, _ count: Int
) -> RedisReply {
  let bytes = unsafe UnsafeRawBufferPointer(start: text, count: count)
  switch type {
  case REDIS_REPLY_STATUS: return .status(unsafe String(decoding: bytes, as: UTF8.self))
  case REDIS_REPLY_ERROR:
    return .error(RedisError(message: unsafe String(decoding: bytes, as: UTF8.self)))
  default: return .bytes(unsafe [UInt8](bytes))
  }
}
