internal import RedisClient

extension QueueScripts {
  /// Moves targets of a large item out as chunks, which any instance may take.
  ///
  /// KEYS inflight, chunks, ready; ARGV receipt, marks of all targets done or moved out, 1 for the
  /// last step, the marks that are there so far (empty: none), then the chunks; result 1, or 0 when
  /// the item is not ours any more or has other marks.
  ///
  /// One script, because a mark without its chunk loses the chunk's devices at a crash, and a chunk
  /// without its mark repeats them. A step whose marks are there already was done, and its answer
  /// was lost: it is not done again.
  ///
  /// Idle instances look at the list only: while it is empty the first chunk goes there, and wakes
  /// them.
  static let split = RedisScript(
    """
    local inflight, chunks, ready = KEYS[1], KEYS[2], KEYS[3]
    local receipt, marks, is_last = ARGV[1], ARGV[2], ARGV[3] == '1'
    if redis.call('HEXISTS', inflight, receipt) == 0 then return 0 end
    local mark = 'p:' .. receipt
    local found = redis.call('HGET', inflight, mark) or ''
    if not is_last and found == marks then return 1 end
    if found ~= ARGV[4] then return 0 end

    """ + LuaParts.trySet + """
      redis.call('LLEN', chunks)  -- one of another type is found before a chunk is written
      local from = 5
      if #ARGV >= from and redis.call('LLEN', ready) == 0 then
        redis.call('RPUSH', ready, ARGV[from])
        from = from + 1
      end
      for i = from, #ARGV do redis.call('RPUSH', chunks, ARGV[i]) end
      if is_last then
        redis.call('HDEL', inflight, receipt, mark)
      else
        redis.call('HSET', inflight, mark, marks)
      end
      return 1
      """)
}
