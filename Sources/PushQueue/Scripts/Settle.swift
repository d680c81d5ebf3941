internal import RedisClient

extension QueueScripts {
  /// Ends items together with what they leave.
  ///
  /// KEYS inflight, delayed, dead, invalid, held, counters, receipts, then parked lists
  /// ARGV most records in `invalid`, and in `receipts`, most dead letters, their most bytes, 1 when
  ///   the oldest letters make room (else new ones wait in `delayed`); then for each item its
  ///   receipt, the number of things it leaves (of an item with marks of progress -1 minus that, and
  ///   the marks), and three arguments for each thing: a, due ms, header | d, reason, letter | i, -,
  ///   record | h, -, record | k, index of the parked list in KEYS, header | r, lengths of names and
  ///   values, these one after the other
  /// result the positions (from 1) of items that were not ours any more, or had other marks than
  ///   these, and were left alone
  ///
  /// One script, because an item and what it leaves must change places in one step: a retry
  /// written before the item ends is sent twice after a crash, one written later is lost.
  static let settle = RedisScript(
    LuaParts.leave + """
      local inflight, missing = KEYS[1], {}
      redis.call('HDEL', inflight, '')  -- the first write may not be one that takes memory
      local at, position = 6, 0
      while at <= #ARGV do
        local receipt, count = ARGV[at], ARGV[at + 1]
        position = position + 1
        at = at + 2
        local ours, marks
        if count == '0' then
          ours = redis.call('HDEL', inflight, receipt) == 1
        else
          local leaves = tonumber(count)
          if leaves < 0 then
            marks = ARGV[at]
            leaves = -1 - leaves
            at = at + 1
          end
          local item = redis.call('HGET', inflight, receipt)
          ours = item and (not marks or redis.call('HGET', inflight, 'p:' .. receipt) == marks)
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
  /// KEYS as `settle`; ARGV the first five as there, receipt, marks, the marks that are there so far
  /// (empty: none), then three arguments for each thing left; result 1, or 0 when the item is not
  /// ours any more or has other marks. One that has the new marks already was done, and its answer
  /// was lost: it is not done again.
  ///
  /// One script, because a mark that is set before its dead letter loses the letter at a crash.
  static let progress = RedisScript(
    LuaParts.leave + """
      local inflight, receipt = KEYS[1], ARGV[6]
      local item = redis.call('HGET', inflight, receipt)
      if not item then return 0 end
      local marks = redis.call('HGET', inflight, 'p:' .. receipt) or ''
      if marks == ARGV[7] then return 1 end
      if marks ~= ARGV[8] then return 0 end

      """ + LuaParts.trySet + """
        leave(item, 9, #ARGV)
        redis.call('HSET', inflight, 'p:' .. receipt, ARGV[7])
        return 1
        """)
}
