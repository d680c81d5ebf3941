internal import CHiredis

/// Turns the bytes of a connection into replies; hiredis does the parsing.
@safe struct ReplyReader: ~Copyable {
  /// hiredis moves the whole rest of its buffer each time 1 KB is consumed, so it is fed little at
  /// a time and emptied before the next feed (measured: 1,000 replies of 266 bytes in one feed
  /// took 1,040 ns each, in pieces 270-400).
  private static let feedSize = 16_384

  private let raw: UnsafeMutablePointer<redisReader>
  private let assembler = ReplyAssembler()

  init?() {
    guard let raw = unsafe redisReaderCreateWithFunctions(assembler.functions) else { return nil }
    unsafe raw.pointee.privdata = Unmanaged.passUnretained(assembler).toOpaque()
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
    guard unsafe redisReaderGetReply(raw, nil) == REDIS_OK else {
      throw RedisError(.notRESP, unsafe String(cString: chiredis_reader_error(raw)))
    }
    return assembler.takeReply()
  }
}
