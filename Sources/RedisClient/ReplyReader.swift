internal import CHiredis

/// Turns the bytes of a connection into replies; hiredis does the parsing.
@safe struct ReplyReader: ~Copyable {
  /// hiredis moves the whole rest of its buffer each time 1 KB is consumed, so it is fed little at
  /// a time and emptied before the next feed (measured: 1,000 replies of 266 bytes in one feed
  /// took 1,040 ns each, in pieces 270-400).
  private static let feedSize = 16_384

  private let raw: UnsafeMutablePointer<redisReader>

  init?() {
    guard let raw = unsafe redisReaderCreate() else { return nil }
    unsafe self.raw = raw
  }

  deinit { unsafe redisReaderFree(raw) }

  /// Hands each complete reply to `take`, in order; `take` says whether to go on. Throws when the
  /// bytes are not RESP2, after which the connection is of no use.
  func read(_ bytes: Span<UInt8>, _ take: (RedisReply) -> Bool) throws(RedisError) {
    var at = 0
    while at < bytes.count {
      let end = min(at + Self.feedSize, bytes.count)
      unsafe bytes.extracting(at..<end).withUnsafeBufferPointer { piece in
        let start = unsafe UnsafeRawPointer(piece.baseAddress)
        unsafe redisReaderFeed(raw, start?.assumingMemoryBound(to: CChar.self), piece.count)
      }
      at = end
      while let reply = try next() {
        if !take(reply) { return }
      }
    }
  }

  private func next() throws(RedisError) -> RedisReply? {
    var object: UnsafeMutableRawPointer?
    guard unsafe redisReaderGetReply(raw, &object) == REDIS_OK else {
      throw RedisError(.notRESP, unsafe String(cString: chiredis_reader_error(raw)))
    }
    guard let object = unsafe object else { return nil }
    defer { unsafe freeReplyObject(object) }
    return unsafe Self.value(of: object.assumingMemoryBound(to: redisReply.self))
  }

  private static func value(of reply: UnsafeMutablePointer<redisReply>) -> RedisReply {
    switch unsafe reply.pointee.type {
    case REDIS_REPLY_STRING: return .bytes(unsafe [UInt8](text(of: reply)))
    case REDIS_REPLY_STATUS: return .status(unsafe String(decoding: text(of: reply), as: UTF8.self))
    case REDIS_REPLY_INTEGER: return .integer(unsafe reply.pointee.integer)
    case REDIS_REPLY_ERROR:
      return .error(
        RedisError(message: unsafe String(decoding: text(of: reply), as: UTF8.self)))
    case REDIS_REPLY_ARRAY:
      let elements = unsafe UnsafeBufferPointer(
        start: reply.pointee.element, count: reply.pointee.elements)
      var values: [RedisReply] = []
      values.reserveCapacity(elements.count)
      for index in 0..<elements.count { values.append(unsafe value(of: elements[index]!)) }
      return .array(values)
    default: return .null
    }
  }

  private static func text(
    of reply: UnsafeMutablePointer<redisReply>
  ) -> UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(start: reply.pointee.str, count: Int(reply.pointee.len))
  }
}
