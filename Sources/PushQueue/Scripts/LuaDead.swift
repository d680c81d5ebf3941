/// Lua for the list of dead letters, which is bounded by number and bytes.
extension LuaParts {
  /// `file(reason, text)`: a letter into the list; false when it is full and letters are to wait.
  /// `letter_gone(bytes)`: one was taken out, which `count_letters(field, by)` then counts and must
  /// follow; `letter_removed(letter)`: the same of one that is not sent again, counted with its
  /// reason. Needs `dead`, `counters`, `max_letters`, `max_letter_bytes`, `drops_oldest`.
  ///
  /// `look_at_letters` comes first: LTRIM and HSET are refused there or not at all. Each number and
  /// what it changes of the list's length are one HSET, so that they agree wherever a script stops.
  ///
  /// `counters` keeps what the list holds as far as scripts know, `dead_length` and `dead_bytes`.
  /// Consumers pop letters themselves: a list shorter than known counts as `dead_taken`, and its
  /// bytes are then those known, in proportion. They are exact again once the list was empty.
  static let dead = """
    local letters, letter_bytes
    local counted = {}
    local function look_at_letters()
      if letters then return end
      letters = redis.call('LLEN', dead)
      local known = redis.call('HMGET', counters, 'dead_length', 'dead_bytes', 'dead_taken')
      local length, bytes = tonumber(known[1]) or 0, tonumber(known[2]) or 0
      local taken = tonumber(known[3]) or 0
      if letters == length then
        letter_bytes = bytes
      else
        if length > 0 then
          letter_bytes = math.floor(bytes * letters / length)
        else
          letter_bytes = letters * #redis.call('LINDEX', dead, 0)
        end
        taken = taken + length - letters
      end
      redis.call('LTRIM', dead, 0, -1)
      redis.call('HSET', counters, 'dead_length', letters, 'dead_bytes', letter_bytes,
        'dead_taken', taken)
    end
    local function count_letters(field, by)
      counted[field] = (counted[field] or tonumber(redis.call('HGET', counters, field)) or 0) + by
      redis.call('HSET', counters, field, counted[field],
        'dead_length', letters, 'dead_bytes', letter_bytes)
    end
    local function letter_gone(bytes)
      letters = letters - 1
      letter_bytes = letters > 0 and math.max(0, letter_bytes - bytes) or 0
    end
    local function letter_removed(letter)
      letter_gone(#letter)
      local reason = string.match(letter, '"reason":"([%w_]+)"')
      if reason then redis.call('HINCRBY', counters, 'gone:' .. reason, 1) end
    end
    local function are_too_many()
      return letters > 1 and (letters > max_letters or letter_bytes > max_letter_bytes)
    end
    local function file(reason, text)
      look_at_letters()
      letters, letter_bytes = letters + 1, letter_bytes + #text
      if not drops_oldest and are_too_many() then
        letters, letter_bytes = letters - 1, letter_bytes - #text
        return false
      end
      redis.call('RPUSH', dead, text)
      count_letters('dead:' .. reason, 1)
      local dropped = 0
      while are_too_many() do
        letter_removed(redis.call('LINDEX', dead, dropped))
        dropped = dropped + 1
      end
      if dropped > 0 then
        redis.call('LTRIM', dead, dropped, -1)
        count_letters('dead_dropped', dropped)
      end
      return true
    end

    """

  /// `file_or_wait(reason, text)`: a letter into the list, or, when that is full, into `delayed` as
  /// a letter that `take` tries to file again. Needs the above, `delayed` and `now`.
  static let waitingLetters = """
    local function file_or_wait(reason, text)
      if file(reason, text) then return end
      -- The number makes it unlike any other; versions that do not know it leave it in `delayed`.
      count_letters('dead_waited', 1)
      redis.call('ZADD', delayed, now + \(letterPause),
        string.format('~0;id=%.0f;dead=%s\\n', counted.dead_waited, reason) .. text)
      count_letters('dead_waiting', 1)
    end

    """

  /// Milliseconds until a letter that found the list full is tried again.
  static let letterPause = 900_000
}
