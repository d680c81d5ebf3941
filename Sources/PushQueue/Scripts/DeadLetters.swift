internal import RedisClient

// What operators and age do to the list of dead letters.
extension QueueScripts {
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

      """ + LuaParts.dead + LuaParts.move + """
        redis.call('HDEL', counters, '')  -- the first write may not be one that takes memory
        look_at_letters()
        local sent = 0
        for at = 1, #ARGV, 5 do
          local header = string.format('~1;id=%s;a=0;c=0;t0=%.0f;r=%d;done=0\\n',
            ARGV[at + 2], now, ARGV[at + 3])
          if move(dead, ARGV[at], ready, header .. ARGV[at + 4]) then
            letter_gone(#ARGV[at])
            count_letters('retried:' .. ARGV[at + 1], 1)
            sent = sent + 1
          end
        end
        return sent
        """)

  /// Removes dead letters by value.
  ///
  /// KEYS dead, counters; ARGV letters; result how many were still there.
  /// One script, because the list and what is known of it must agree.
  static let purgeDead = RedisScript(
    """
    local dead, counters = KEYS[1], KEYS[2]

    """ + LuaParts.dead + """
      redis.call('HDEL', counters, '')  -- the first write may not be one that takes memory
      look_at_letters()
      local purged = 0
      for _, letter in ipairs(ARGV) do
        if redis.call('LREM', dead, 1, letter) == 1 then
          letter_removed(letter)
          purged = purged + 1
        end
      end
      if purged > 0 then count_letters('dead_purged', purged) end
      return purged
      """)

  /// Removes the oldest dead letters that became letters before a moment.
  ///
  /// KEYS dead, counters; ARGV that moment in UNIX milliseconds, most letters, the counter; result
  /// how many went. A letter whose head does not tell its moment stops it.
  /// One script, because the head must be looked at and removed in one step.
  static let dropDead = RedisScript(
    """
    local dead, counters, before, most = KEYS[1], KEYS[2], tonumber(ARGV[1]), tonumber(ARGV[2])

    """ + LuaParts.dead + """
      redis.call('HDEL', counters, '')  -- the first write may not be one that takes memory
      look_at_letters()
      local gone = 0
      while gone < most do
        local letter = redis.call('LINDEX', dead, gone)
        local moment = letter and string.match(letter, '"deadAt":(%d+)')
        if not moment or tonumber(moment) >= before then break end
        letter_removed(letter)
        gone = gone + 1
      end
      if gone > 0 then
        redis.call('LTRIM', dead, gone, -1)
        count_letters(ARGV[3], gone)
      end
      return gone
      """)

  /// A page of dead letters that misses none, whatever is added at the tail or popped at the head
  /// between two pages.
  ///
  /// KEYS dead, counters; ARGV number of the first letter or -1 for the oldest, most letters, most
  /// bytes; result {number of the first letter returned, number after the last letter there is,
  /// letters that lie in front, letters}.
  ///
  /// Letters are numbered by how many were ever written: the tail has the last number. One script,
  /// because list and counters must be read at one moment.
  static let deadPage = RedisScript(
    """
    local dead, written = KEYS[1], 0
    local counters = redis.call('HGETALL', KEYS[2])
    for i = 1, #counters, 2 do
      if string.sub(counters[i], 1, 5) == 'dead:' then written = written + counters[i + 1] end
    end
    local oldest = written - redis.call('LLEN', dead)
    local from = math.max(tonumber(ARGV[1]), oldest)
    if ARGV[1] == '-1' then from = oldest end
    local most, room, page = tonumber(ARGV[2]), tonumber(ARGV[3]), {}
    while #page < most do
      local at = from - oldest + #page
      local some = redis.call('LRANGE', dead, at, at + math.min(most - #page, 8) - 1)
      if #some == 0 then break end
      for _, letter in ipairs(some) do
        if #page > 0 and #letter > room then return {from, written, from - oldest, page} end
        page[#page + 1] = letter
        room = room - #letter
      end
    end
    return {from, written, from - oldest, page}
    """)
}
