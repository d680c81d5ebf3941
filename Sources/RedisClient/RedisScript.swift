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

/// One call of a script: number of keys, keys and arguments, encoded once.
package struct ScriptCall: Sendable {
  let script: RedisScript
  package var arguments = RedisCommand()

  package init(_ script: RedisScript, keys: [String]) {
    self.script = script
    arguments.append(keys.count)
    for key in keys { arguments.append(key) }
  }
}
