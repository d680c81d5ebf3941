internal import RedisClient

extension QueueScripts {
  /// Gives items back to the head of the list, in their order, unspent.
  ///
  /// KEYS inflight, ready, suspects; ARGV receipts; result how many were still ours.
  /// One script, because the item must be in one of the two places at every moment.
  static let putBack = RedisScript(
    """
    local inflight, ready, suspects = KEYS[1], KEYS[2], KEYS[3]
    local instance = string.match(inflight, '.*:inflight:(.*)$')

    """ + LuaParts.headers + LuaParts.goHome + LuaParts.withProgress + """
      redis.call('HDEL', inflight, '')  -- the first write may not be one that takes memory
      local given = 0
      for i = #ARGV, 1, -1 do
        local receipt = ARGV[i]
        local found = redis.call('HMGET', inflight, receipt, 'p:' .. receipt)
        local item, bits = found[1] and headed(found[1], receipt), found[2]
        if item then
          if bits then item = with_progress(item, bits) end
          go_home(item)
          redis.call('HDEL', inflight, receipt, 'p:' .. receipt)
          given = given + 1
        end
      end
      return given
      """)

  /// Gives back what an instance holds and, when nothing is left, its lease: a clean end.
  ///
  /// KEYS leases, instances, inflight, ready, suspects, control; ARGV instance, most items, most
  /// bytes; result how many items are left: call again until 0.
  /// One script, because the lease may only go when the hash is empty, else nobody looks there.
  static let release = RedisScript(
    """
    local leases, instances, inflight = KEYS[1], KEYS[2], KEYS[3]
    local ready, suspects, control = KEYS[4], KEYS[5], KEYS[6]
    local instance, most, room = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])

    """ + LuaParts.headers + LuaParts.goHome + LuaParts.withProgress + LuaParts.receipts + """
      redis.call('HDEL', inflight, '')  -- the first write may not be one that takes memory
      local receipts = receipts_of(inflight)
      local given = 0
      for i = 1, math.min(#receipts, most) do
        if room <= 0 then break end
        local receipt = receipts[i]
        local found = redis.call('HMGET', inflight, receipt, 'p:' .. receipt)
        local item, bits = headed(found[1], receipt), found[2]
        if bits then item = with_progress(item, bits) end
        go_home(item)
        redis.call('HDEL', inflight, receipt, 'p:' .. receipt)
        given = given + 1
        room = room - #item
      end
      if given < #receipts then return #receipts - given end
      redis.call('DEL', inflight)
      redis.call('ZREM', leases, instance)
      redis.call('HDEL', instances, instance)
      redis.call('HDEL', control, 'workers:' .. instance)
      return 0
      """)

  /// Returns the items of an instance whose lease is over: with a crash more, or, when they made
  /// progress, with its marks and no crash.
  ///
  /// KEYS leases, instances, inflight, ready, suspects, control, counters; ARGV instance, most
  /// items, most bytes; result {items returned, items left}: call again until none is left.
  ///
  /// One script, because the lease must be over at the moment of the move, and the move itself is
  /// the claim: two that recover the same instance share its items, none is doubled.
  static let recover = RedisScript(
    LuaParts.now + """
      local leases, instances, inflight = KEYS[1], KEYS[2], KEYS[3]
      local ready, suspects, control, counters = KEYS[4], KEYS[5], KEYS[6], KEYS[7]
      local instance, most, room = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
      local lease = redis.call('ZSCORE', leases, instance)
      if lease and tonumber(lease) >= now then return {0, 0} end

      """ + LuaParts.headers + LuaParts.goHome + LuaParts.withProgress + LuaParts.receipts + """
        redis.call('HDEL', inflight, '')  -- the first write may not be one that takes memory
        local receipts = receipts_of(inflight)
        local given = 0
        for i = 1, math.min(#receipts, most) do
          if room <= 0 then break end
          local receipt = receipts[i]
          local found = redis.call('HMGET', inflight, receipt, 'p:' .. receipt)
          local item, bits = headed(found[1], receipt), found[2]
          if bits then
            item = with_progress(item, bits)
          else
            item = string.gsub(item, ';c=%d+;', ';c=' .. crashes_of(item) + 1 .. ';', 1)
          end
          go_home(item)
          redis.call('HDEL', inflight, receipt, 'p:' .. receipt)
          given = given + 1
          room = room - #item
        end
        if given > 0 then redis.call('HINCRBY', counters, 'recovered', given) end
        if given < #receipts then return {given, #receipts - given} end
        redis.call('DEL', inflight)
        redis.call('ZREM', leases, instance)
        redis.call('HDEL', instances, instance)
        redis.call('HDEL', control, 'workers:' .. instance)
        return {given, 0}
        """)
}
