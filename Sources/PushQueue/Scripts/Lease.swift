internal import RedisClient

extension QueueScripts {
  /// Takes a lease, new or again.
  ///
  /// KEYS leases; ARGV instance, lease in ms; result {server ms, live instances}.
  /// One script, because the lease's end is the server's time plus its length.
  static let join = RedisScript(
    LuaParts.now + """
      redis.call('ZREM', KEYS[1], '')  -- the first write may not be one that takes memory
      redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
      return {now, redis.call('ZCOUNT', KEYS[1], now, '+inf')}
      """)

  /// Renews a lease that is not over.
  ///
  /// KEYS leases; ARGV instance, lease in ms; result {server ms, live instances}, or {} when the
  /// lease is over or gone. One script, because between a look and a renewal another instance
  /// could recover our items. It touches one key, so that it works while a slot migrates.
  static let beat = RedisScript(
    LuaParts.now + """
      local lease = redis.call('ZSCORE', KEYS[1], ARGV[1])
      if not lease or tonumber(lease) < now then return {} end
      redis.call('ZREM', KEYS[1], '')  -- as above
      redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
      return {now, redis.call('ZCOUNT', KEYS[1], now, '+inf')}
      """)
}
