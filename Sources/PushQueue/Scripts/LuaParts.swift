/// Lua that several scripts share. Only the header line of an item is ever looked at.
enum LuaParts {
  /// `now`: the server's UNIX milliseconds. Clocks of workers never meet in Redis.
  static let now = """
    local time = redis.call('TIME')
    local now = time[1] * 1000 + math.floor(time[2] / 1000)

    """

  /// `headed(item, receipt)`: the item with its header line; `has_header(item)`; `crashes_of(item)`.
  /// Needs `instance`, who took it.
  ///
  /// In a hash fresh items have no header: it follows from the instance and the receipt, whose high
  /// bits are the milliseconds of the take.
  static let headers = """
    local function has_header(item)
      return string.find(item, '^~1;id=[^;\\n]*;a=%d+;c=%d+;t0=%d+;r=%d+;?p?=?%-?%d*;done=[%x.]+\\n')
    end
    local function headed(item, receipt)
      if string.byte(item) == 126 and has_header(item) then return item end
      return string.format('~1;id=%s-%s;a=0;c=0;t0=%.0f;r=0;done=0\\n', instance, receipt,
        math.floor(receipt / \(receiptsAMillisecond))) .. item
    end
    local function crashes_of(item)
      return tonumber(string.match(item, '^~1;id=[^;\\n]*;a=%d+;c=(%d+);')) or 0
    end

    """

  /// A receipt is a moment in UNIX milliseconds times this, plus a number. More than one take may
  /// ask for, and so few that a double holds a receipt exactly.
  static let receiptsAMillisecond = 1_024

  /// `go_home(item)`: to the head of the list, or to the suspects when it crashed two instances
  /// or more. Needs `ready`, `suspects` and `headers`.
  static let goHome = """
    local function go_home(item)
      redis.call('LPUSH', crashes_of(item) >= 2 and suspects or ready, item)
    end

    """

  /// `move(from, value, to, other)`: puts `other` at the tail of a list and takes `value` out of
  /// another, where it is looked for by value; false when it was not there.
  static let move = """
    local function move(from, value, to, other)
      redis.call('RPUSH', to, other)
      local gone = redis.pcall('LREM', from, 1, value)
      if gone == 1 then return true end
      redis.call('LTRIM', to, 0, -2)
      if type(gone) == 'table' then error(gone.err) end  -- of LREM
      return false
    end

    """

  /// `with_progress(item, bits)`: the item with its marks of finished targets; it made progress,
  /// so its crashes are forgiven.
  static let withProgress = """
    local function with_progress(item, bits)
      local tail = string.find(item, ';done=', 1, true)
      local line = string.find(item, '\\n', 1, true)
      local head = string.gsub(string.sub(item, 1, tail), ';c=%d+;', ';c=0;', 1)
      return head .. 'done=' .. bits .. string.sub(item, line)
    end

    """

  /// `receipts_of(inflight)`: the receipts in the hash, newest first, without `p:` and `s`.
  static let receipts = """
    local function receipts_of(inflight)
      local found = {}
      for _, field in ipairs(redis.call('HKEYS', inflight)) do
        if tonumber(field) then found[#found + 1] = field end
      end
      table.sort(found, function(a, b) return tonumber(a) > tonumber(b) end)
      return found
    end

    """

  /// Lets HSET on `inflight` be refused now or not at all; its first write takes no memory.
  static let trySet = """
    redis.call('HDEL', inflight, '')
    redis.call('HSET', inflight, '', '')
    redis.call('HDEL', inflight, '')

    """

  /// `leave(item, from, to)`: writes what an item leaves, three arguments for each thing. KEYS and
  /// the first five of ARGV as in `settle`.
  ///
  /// An item whose last thing is refused is settled again and again until a person mends that, and
  /// must not leave the others each time. So with several things what can be tried is tried before
  /// the first is written; receipts, of which more do no harm, and retries, which written again are
  /// the same, come first, and what would be sent twice comes last.
  static let leave =
    now + """
      local delayed, dead, invalid, held, counters = KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
      local max_invalid = tonumber(ARGV[1])
      local max_letters, max_letter_bytes = tonumber(ARGV[3]), tonumber(ARGV[4])
      local drops_oldest = ARGV[5] == '1'

      """ + dead + waitingLetters + """
      local function add_receipt(lengths, text)
        local fields, at = {}, 1
        for length in string.gmatch(lengths, '%d+') do
          fields[#fields + 1] = string.sub(text, at, at + length - 1)
          at = at + length
        end
        redis.call('XADD', KEYS[7], 'MAXLEN', '~', ARGV[2], '*', unpack(fields))
      end
      -- What begins with `~` in the hash has a header line.
      local function with_header(item, line)
        if string.byte(item) ~= 126 then return line .. item end
        return (string.gsub(item, '^[^\\n]*\\n', function() return line end))
      end
      local looked = {}
      local function look(kind, meta)
        local list = kind == 'k' and KEYS[tonumber(meta)] or kind
        if looked[list] then return end
        looked[list] = true
        if kind == 'a' then redis.call('ZCARD', delayed)
        elseif kind == 'd' then look_at_letters()
        elseif kind == 'i' then
          redis.call('LTRIM', invalid, 0, -1)
          redis.call('HINCRBY', counters, 'invalid', 0)
        elseif kind == 'h' then redis.call('LLEN', held)
        elseif kind == 'k' then redis.call('LLEN', list) end
      end
      local function write(item, kind, meta, text)
        if kind == 'a' then
          redis.call('ZADD', delayed, meta, with_header(item, text))
        elseif kind == 'd' then
          file_or_wait(meta, text)
        elseif kind == 'i' then
          redis.call('HINCRBY', counters, 'invalid', 1)
          local over = redis.call('RPUSH', invalid, text) - max_invalid
          if over > 0 then
            redis.call('LTRIM', invalid, over, -1)
            redis.call('HINCRBY', counters, 'invalid_dropped', over)
          end
        elseif kind == 'h' then
          redis.call('RPUSH', held, text)
        elseif kind == 'r' then
          add_receipt(meta, text)
        else
          redis.call('RPUSH', KEYS[tonumber(meta)], with_header(item, text))
        end
      end
      local function leave(item, from, to)
        if to - from < 3 then
          if from < to then write(item, ARGV[from], ARGV[from + 1], ARGV[to]) end
          return
        end
        for at = from, to, 3 do look(ARGV[at], ARGV[at + 1]) end
        for _, kinds in ipairs({'r', 'a', 'dih', 'k'}) do
          for at = from, to, 3 do
            if string.find(kinds, ARGV[at], 1, true) then
              write(item, ARGV[at], ARGV[at + 1], ARGV[at + 2])
            end
          end
        end
      end

      """
}
