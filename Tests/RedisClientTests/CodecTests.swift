import Testing

@testable import RedisClient

@Suite struct CodecTests {
  private func replies(_ wire: [UInt8], pieces: Int) throws -> [RedisReply] {
    guard let reader = ReplyReader() else { return [] }
    var found: [RedisReply] = []
    var rest = wire[...]
    while !rest.isEmpty {
      let piece = Array(rest.prefix(pieces))
      rest = rest.dropFirst(pieces)
      try reader.read(piece.span) {
        found.append($0)
        return true
      }
    }
    return found
  }

  @Test(arguments: [1, 5, 7, 100_000]) func `replies are whole however the bytes arrive`(
    _ pieces: Int
  ) throws {
    let plain =
      "+OK\r\n:-42\r\n$3\r\na\r\n\r\n$-1\r\n*2\r\n$1\r\nx\r\n*1\r\n:7\r\n-ERR no\r\n"
    let nested = "*4\r\n*0\r\n*2\r\n*-1\r\n*1\r\n*0\r\n-OOM no\r\n$0\r\n\r\n*0\r\n*1\r\n+a\r\n"
    let wire = Array((plain + nested).utf8)
    #expect(
      try replies(wire, pieces: pieces) == [
        .status("OK"), .integer(-42), .bytes(Array("a\r\n".utf8)), .null,
        .array([.bytes([UInt8(ascii: "x")]), .array([.integer(7)])]),
        .error(RedisError(.other, "ERR no")),
        .array([
          .array([]), .array([.null, .array([.array([])])]),
          .error(RedisError(message: "OOM no")), .bytes([]),
        ]),
        .array([]), .array([.status("a")]),
      ])
  }

  @Test func `an array that announces more than comes is no reply, and takes no memory`() throws {
    let wire = Array("*2147483647\r\n:1\r\n".utf8)
    #expect(try replies(wire, pieces: 100).isEmpty)
  }

  @Test func `a reply larger than one feed arrives whole`() throws {
    let body = [UInt8]((0..<100_000).map { UInt8(truncatingIfNeeded: $0) })
    var wire = Array("$100000\r\n".utf8) + body
    wire += Array("\r\n+OK\r\n".utf8)
    #expect(try replies(wire, pieces: 70_000) == [.bytes(body), .status("OK")])
  }

  @Test func `bytes that are not RESP end the reading`() throws {
    let error = try #require(throws: RedisError.self) {
      try replies(Array("HTTP/1.1 400\r\n".utf8), pieces: 100)
    }
    #expect(error.code == .notRESP)
  }

  @Test func `a command is encoded with lengths in bytes`() {
    var command = RedisCommand("RPUSH", "é")
    command.append(Array("a\r\n".utf8))
    command.append(-120)
    command.append(Int64.min)
    var output: [UInt8] = []
    command.write(to: &output)
    #expect(
      String(decoding: output, as: UTF8.self)
        == "*5\r\n$5\r\nRPUSH\r\n$2\r\né\r\n$3\r\na\r\n\r\n$4\r\n-120\r\n$20\r\n-9223372036854775808\r\n"
    )
  }

  @Test(arguments: [
    ("READONLY You can't write against a read only replica.", RedisError.Code.readOnly),
    (
      "ERR Error running script (call to f_1): @user_script:3: -OOM command not allowed when used",
      .outOfMemory
    ),
    ("BUSY Redis is busy running a script.", .busy),
    (
      "ERR The user executing the script can't run this command or subcommand script: 1, on 2",
      .noPermission
    ),
    ("WRONGPASS invalid username-password pair or user is disabled.", .wrongPassword),
    ("MOVED 3999 127.0.0.1:6381", .moved),
    ("UNBLOCKED force unblock from blocking operation, instance state changed", .unblocked),
    ("ERR value is not an integer", .other),
  ])
  func `an error's code is found anywhere in its message`(
    _ message: String, _ code: RedisError.Code
  ) {
    #expect(RedisError(message: message).code == code)
  }

  @Test func `arguments that Redis repeats are left out of the detail`() {
    let error = RedisError(
      message: "ERR unknown command 'AUTHX', with args beginning with: 'secret' ")
    #expect(error.detail == "ERR unknown command 'AUTHX', ")
  }
}
