internal import RedisClient

extension QueueScripts {
  /// Sets or clears wishes of an operator.
  ///
  /// KEYS control; ARGV pairs of field and value, an empty value clears; result nothing.
  /// One script, because HDEL in front lets it run when memory is full, which is when an operator
  /// needs it.
  static let control = RedisScript(
    """
    for at = 1, #ARGV, 2 do
      redis.call('HDEL', KEYS[1], ARGV[at])
      if ARGV[at + 1] ~= '' then redis.call('HSET', KEYS[1], ARGV[at], ARGV[at + 1]) end
    end
    """)

  /// Sends dead letters' events once more.
  ///
  /// KEYS dead, ready, counters; ARGV for each letter: the letter, its reason, an id for the
  /// header, how often it was replayed with this time, the event; result how many letters were
  /// still there.
  ///
  /// One script, because letter and event must change places in one step; by value, because a
  /// position moves while others work on the list.
  static let retryDead = RedisScript(
    LuaParts.now + """
      local dead, ready, counters = KEYS[1], KEYS[2], KEYS[3]
      local sent = 0
      for at = 1, #ARGV, 5 do
        if redis.call('LREM', dead, 1, ARGV[at]) == 1 then
          local header = string.format('~1;id=%s;a=0;c=0;t0=%.0f;r=%d;done=0\\n',
            ARGV[at + 2], now, ARGV[at + 3])
          redis.call('RPUSH', ready, header .. ARGV[at + 4])
          redis.call('HINCRBY', counters, 'retried:' .. ARGV[at + 1], 1)
          sent = sent + 1
        end
      end
      return sent
      """)
}
