internal import RedisClient

extension QueueScripts {
  /// Ends items together with what they leave.
  ///
  /// KEYS inflight, delayed, dead, invalid, held, counters, receipts, then parked lists
  /// ARGV most records in `invalid`, and in `receipts`, most dead letters, their most bytes, 1 when
  ///   the oldest letters make room (else new ones wait in `delayed`); then for each item its
  ///   receipt, the number
  ///   of things it leaves (-1: nothing, but it has marks of progress), and three arguments for
  ///   each thing: a, due ms, header | d, reason, letter | i, -, record | h, -, record | k, index
  ///   of the parked list in KEYS, header | r, lengths of names and values, these one after the
  ///   other
  /// result the positions (from 1) of items that were not ours any more, and were left alone
  ///
  /// One script, because an item and what it leaves must change places in one step: a retry
  /// written before the item ends is sent twice after a crash, one written later is lost.
  static let settle = RedisScript(
    LuaParts.leave + """
      local inflight, missing = KEYS[1], {}
      redis.call('HDEL', inflight, '')  -- the first write may not be one that takes memory
      local at, position = 6, 0
      while at <= #ARGV do
        local receipt, leaves = ARGV[at], tonumber(ARGV[at + 1])
        position = position + 1
        at = at + 2
        local ours = true
        if leaves == 0 then
          ours = redis.call('HDEL', inflight, receipt) == 1
        elseif leaves < 0 then
          ours = redis.call('HDEL', inflight, receipt, 'p:' .. receipt) > 0
        else
          local item = redis.call('HGET', inflight, receipt)
          ours = item and true
          if ours then
            leave(item, at, at + leaves * 3 - 1)
            redis.call('HDEL', inflight, receipt, 'p:' .. receipt)
          end
          at = at + leaves * 3
        end
        if not ours then missing[#missing + 1] = position end
      end
      if #missing > 0 then redis.call('HINCRBY', counters, 'fenced', #missing) end
      return missing
      """)

  /// Marks targets of an item as finished together with what they leave; the item stays.
  ///
  /// KEYS as `settle`; ARGV the first five as there, receipt, marks, then three arguments for each
  /// thing left; result 1, or 0 when the item is not ours any more.
  ///
  /// One script, because a mark that is set before its dead letter loses the letter at a crash.
  static let progress = RedisScript(
    LuaParts.leave + """
      local inflight, receipt = KEYS[1], ARGV[6]
      local item = redis.call('HGET', inflight, receipt)
      if not item then return 0 end

      """ + LuaParts.trySet + """
        leave(item, 8, #ARGV)
        redis.call('HSET', inflight, 'p:' .. receipt, ARGV[7])
        return 1
        """)
}
