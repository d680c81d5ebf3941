internal import RedisClient

/// The scripts of a queue, each one atomic step in one slot; all moments are the server's.
///
/// The first write of each frees memory (ZREM, HDEL, LTRIM, LREM): Redis then runs the rest even
/// when memory is full, so that a queue can always be drained (measured on 7.0). It counts also
/// when there is nothing to free, as in HDEL of a field that never is.
///
/// Redis does not roll a script back when one of its commands is refused. So whatever moves is
/// written to where it goes before it is removed from where it was, and what can be refused comes
/// as early as possible: in one run of a script a command that was allowed on a key once stays so.
enum QueueScripts {}

extension QueueScripts {
  /// Moves items into the instance's hash: due retries, parked ones, chunks, then fresh ones.
  ///
  /// KEYS leases, ready, delayed, suspects, inflight, control, counters, chunks, dead, then parked
  ///   lists
  /// ARGV instance, how many, bytes, first receipt, most dead letters, their most bytes, 1 when the
  ///   oldest letters make room, then the most items of each parked list
  /// result {} when the lease is over; else {server ms, due ms of the next retry or -1, live
  ///   instances, 1 when items are held back, control and `dead_waiting` as flat pairs, items,
  ///   lengths left of the parked lists}; the items' receipts count up from the first
  ///
  /// One script, because an item must be in the list or in a hash at every moment, and because its
  /// receipt, from which the header of a fresh item follows, must be written with the move.
  static let take = RedisScript(
    LuaParts.now + """
      local leases, ready, delayed, suspects = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
      local inflight, control, counters, chunks = KEYS[5], KEYS[6], KEYS[7], KEYS[8]
      local instance, want, room = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
      local dead, first = KEYS[9], tonumber(ARGV[4])
      local max_letters, max_letter_bytes = tonumber(ARGV[5]), tonumber(ARGV[6])
      local drops_oldest = ARGV[7] == '1'

      local lease = redis.call('ZSCORE', leases, instance)
      if not lease or tonumber(lease) < now then return {} end
      local news = redis.call('HGETALL', control)
      local wish = {}
      for i = 1, #news, 2 do wish[news[i]] = news[i + 1] end
      local letters_waiting = tonumber(redis.call('HGET', counters, 'dead_waiting')) or 0
      local parked = {}
      for i = 10, #KEYS do parked[i - 9] = redis.call('LLEN', KEYS[i]) end

      local items, fields, stored = {}, {}, 0
      local function keep(item)
        local at = #items
        fields[(at - stored) * 2 + 1] = string.format('%d', first + at)
        fields[(at - stored) * 2 + 2] = item
        items[at + 1] = item
        room = room - #item
      end
      -- To be called before what was kept leaves where it was.
      local function store()
        if #items == stored then return end
        redis.call('HSET', inflight, unpack(fields))
        fields, stored = {}, #items
      end
      local function answer(held)
        local due = redis.call('ZRANGE', delayed, 0, 0, 'WITHSCORES')[2] or -1
        local live = redis.call('ZCOUNT', leases, now, '+inf')
        news[#news + 1] = 'dead_waiting'
        news[#news + 1] = string.format('%d', letters_waiting)
        return {now, tonumber(due), live, held, news, items, parked}
      end
      if wish.paused then return answer(1) end
      redis.call('HDEL', inflight, '')  -- the first write may not be one that takes memory

      """ + LuaParts.headers + storing + suspects + LuaParts.dead + draws + """
        local waiting = redis.call('LLEN', ready)
        local pieces = redis.call('LLEN', chunks)
        local others = waiting + pieces
        for i, length in ipairs(parked) do others = others + math.min(length, ARGV[7 + i]) end
        draw_due(math.max(math.ceil(want / 4), want - others))
        for i, length in ipairs(parked) do
          parked[i] = length - draw(KEYS[9 + i], math.min(length, ARGV[7 + i]))
        end
        local left = want - #items
        draw(chunks, math.min(pieces, math.max(math.ceil(left / 2), left - waiting)))
        local fresh = draw(ready, waiting)
        if fresh > 0 then redis.call('HINCRBY', counters, 'taken', fresh) end
        return answer(0)
        """)

  /// Poison: what crashed two instances is tested by one instance at a time, which holds nothing
  /// else meanwhile. A first test is of up to 32 suspects together, since most are innocent: they
  /// were at hand when others fell. What crashes such a group is then tested alone.
  private static let suspects = """
    local suspect = redis.call('HGET', inflight, 's')
    if suspect then
      if redis.call('HLEN', inflight) > 1 then return answer(1) end
      redis.call('HDEL', inflight, 's')
    end
    if redis.call('LLEN', suspects) > 0 then
      local tester = wish.tester
      local until_ms = tester and tester ~= instance and redis.call('ZSCORE', leases, tester)
      if not until_ms or tonumber(until_ms) < now then
        if tester ~= instance then redis.call('HSET', control, 'tester', instance) end
        if redis.call('HLEN', inflight) > 0 then return answer(1) end
        redis.call('LTRIM', suspects, 0, -1)  -- refused here or not at all
        repeat
          local item = redis.call('LINDEX', suspects, #items)
          local crashes = item and crashes_of(item)
          local fits = item and (#items == 0 or crashes <= 2 and #item <= room)
          if fits then keep(storable(item) or item) end
        until not fits or crashes > 2 or #items == math.min(want, 32)
        redis.call('HSET', inflight, 's', first, unpack(fields))
        redis.call('LTRIM', suspects, #items, -1)
        return answer(1)
      end
    elseif wish.tester == instance then
      redis.call('HDEL', control, 'tester')
    end

    """

  /// `storable(item)`: what goes into the hash; nil for what a newer version wrote, which
  /// `newer(item)` sends back unchanged for a minute.
  ///
  /// A fresh item goes there as it is, since its header follows from its receipt: a header in front
  /// is one more string of all its bytes, which cost a quarter of the whole script (measured).
  private static let storing = """
    local function storable(item)
      if string.byte(item) ~= 126 then return item end
      if has_header(item) then return item end
      if string.find(item, '^~%d+;id=[^\\n]*\\n') then return nil end
      return headed(item, string.format('%d', first + #items))
    end
    local function newer(item)
      redis.call('ZADD', delayed, now + 60000, item)
      redis.call('HINCRBY', counters, 'unknown_header', 1)
    end

    """

  /// `draw_due(most)` and `draw(list, most)`, which says how many left the list.
  ///
  /// Read one by one each item would cost 1.5 us more (measured). Several at once only when the
  /// last ones were small, since what does not fit was read in vain.
  private static let draws = """
    -- A dead letter that found the list full.
    local function letter_in(item)
      if string.byte(item) ~= 126 then return nil end
      return string.match(item, '^~0;id=%d+;dead=([%w_]+)\\n(.*)$')
    end
    local function draw_due(most)
      while most > 0 and room > 0 do
        local some = redis.call('ZRANGEBYSCORE', delayed, '-inf', now, 'LIMIT', 0, math.min(most, 32))
        if #some == 0 then return end
        redis.call('ZREM', delayed, '')  -- refused here or not at all
        local gone = {}
        for _, item in ipairs(some) do
          if #items > 0 and #item > room then
            most = 0
            break
          end
          most = most - 1
          local reason, text = letter_in(item)
          local ours = not reason and storable(item)
          if ours then
            keep(ours)
            gone[#gone + 1] = item
          elseif not reason then
            newer(item)
          elseif file(reason, text) then
            redis.call('ZREM', delayed, item)
            count_letters('dead_waiting', -1)
            letters_waiting = letters_waiting - 1
          else
            redis.call('ZADD', delayed, now + \(LuaParts.letterPause), item)
          end
        end
        if #gone > 0 then
          store()
          redis.call('ZREM', delayed, unpack(gone))
        end
      end
    end
    local function draw(list, most)
      local drawn, some, largest = 0, 1, 0
      most = math.min(most, want - #items)
      if most <= 0 or room <= 0 then return 0 end
      redis.call('LTRIM', list, 0, -1)  -- refused here or not at all
      while drawn < most and room > 0 do
        local read = redis.call('LRANGE', list, drawn, drawn + math.min(most - drawn, some) - 1)
        if #read == 0 then break end
        for _, item in ipairs(read) do
          if #items > 0 and #item > room then
            most = drawn
            break
          end
          drawn = drawn + 1
          largest = math.max(largest, #item)
          local ours = storable(item)
          if ours then keep(ours) else newer(item) end
        end
        some = math.min(some * 4, 64, math.max(1, math.floor(room / (largest + 1))))
      end
      store()
      if drawn > 0 then redis.call('LTRIM', list, drawn, -1) end
      return drawn
    end

    """
}
