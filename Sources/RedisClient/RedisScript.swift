internal import PushCrypto

/// A Lua script with the name Redis knows it by.
package struct RedisScript: Sendable {
  package let source: String
  let call: RedisCommand
  let load: RedisCommand

  package init(_ source: String) {
    self.source = source
    var call = RedisCommand("EVALSHA")
    call.append(SHA1.hex(Array(source.utf8)))
    self.call = call
    load = RedisCommand("EVAL", source)
  }
}
