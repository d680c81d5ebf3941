internal import RedisClient

extension QueueScripts {
  /// Sets or clears wishes of an operator.
  ///
  /// KEYS control; ARGV pairs of field and value, an empty value clears; result nothing.
  /// One script, because HDEL in front lets it run when memory is full, which is when an operator
  /// needs it.
  static let control = RedisScript(
    """
    redis.call('HDEL', KEYS[1], '')
    for at = 1, #ARGV, 2 do
      if ARGV[at + 1] == '' then
        redis.call('HDEL', KEYS[1], ARGV[at])
      else
        redis.call('HSET', KEYS[1], ARGV[at], ARGV[at + 1])
      end
    end
    """)

  /// Moves the oldest items of a parked list to the tail of the list.
  ///
  /// KEYS parked list, ready; ARGV most items; result how many.
  /// One script, because an item must be in one of the lists at every moment.
  static let unpark = RedisScript(
    """
    redis.call('LTRIM', KEYS[1], 0, -1)  -- refused here or not at all; takes no memory
    local items = redis.call('LRANGE', KEYS[1], 0, ARGV[1] - 1)
    if #items == 0 then return 0 end
    for _, item in ipairs(items) do redis.call('RPUSH', KEYS[2], item) end
    redis.call('LTRIM', KEYS[1], #items, -1)
    return #items
    """)

  /// Moves records that the brake held to the feedback list, or drops them.
  ///
  /// KEYS held, invalid, counters; ARGV 1 to drop them, most records in `invalid`, records; result
  /// how many were still held.
  /// One script, because a record must be in one of the lists at every moment; by value, because a
  /// position moves while others work on the list.
  static let releaseHeld = RedisScript(
    LuaParts.move + """
      local held, invalid, counters = KEYS[1], KEYS[2], KEYS[3]
      redis.call('LTRIM', invalid, 0, -1)  -- refused here or not at all; takes no memory
      local moved = 0
      for at = 3, #ARGV do
        if ARGV[1] == '1' then
          moved = moved + redis.call('LREM', held, 1, ARGV[at])
        elseif move(held, ARGV[at], invalid, ARGV[at]) then
          moved = moved + 1
        end
      end
      if moved == 0 then return 0 end
      if ARGV[1] == '1' then
        redis.call('HINCRBY', counters, 'invalid_held_dropped', moved)
        return moved
      end
      redis.call('HINCRBY', counters, 'invalid', moved)
      local over = redis.call('LLEN', invalid) - tonumber(ARGV[2])
      if over > 0 then
        redis.call('LTRIM', invalid, over, -1)
        redis.call('HINCRBY', counters, 'invalid_dropped', over)
      end
      return moved
      """)
}
