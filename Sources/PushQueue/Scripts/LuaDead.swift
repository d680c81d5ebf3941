/// Lua for the list of dead letters, which is bounded by number and bytes.
extension LuaParts {
  /// `file(reason, text)`: a letter into the list; false when it is full and letters are to wait.
  /// `letter_gone(bytes)`: one was taken out. `note_letters()` must be called before the script
  /// ends. Needs `dead`, `counters`, `max_letters`, `max_letter_bytes`, `drops_oldest`.
  ///
  /// `counters` keeps what the list holds as far as scripts know, `dead_length` and `dead_bytes`.
  /// Consumers pop letters themselves: a list shorter than known counts as `dead_taken`, and its
  /// bytes are then those known, in proportion. They are exact again once the list was empty.
  static let dead = """
    local letters, letter_bytes
    local function look_at_letters()
      if letters then return end
      letters = redis.call('LLEN', dead)
      local known = redis.call('HMGET', counters, 'dead_length', 'dead_bytes')
      local length, bytes = tonumber(known[1]) or 0, tonumber(known[2]) or 0
      if letters == length then
        letter_bytes = bytes
      else
        if length > 0 then
          letter_bytes = math.floor(bytes * letters / length)
        else
          letter_bytes = letters * #redis.call('LINDEX', dead, 0)
        end
        redis.call('HINCRBY', counters, 'dead_taken', length - letters)
      end
    end
    local function letter_gone(bytes)
      letters = letters - 1
      letter_bytes = letters > 0 and math.max(0, letter_bytes - bytes) or 0
    end
    local function are_full(bytes)
      return letters > 0 and (letters >= max_letters or letter_bytes + bytes > max_letter_bytes)
    end
    local function file(reason, text)
      look_at_letters()
      local dropped = 0
      while are_full(#text) do
        if not drops_oldest then return false end
        letter_gone(#redis.call('LPOP', dead))
        dropped = dropped + 1
      end
      if dropped > 0 then redis.call('HINCRBY', counters, 'dead_dropped', dropped) end
      letters = redis.call('RPUSH', dead, text)
      letter_bytes = letter_bytes + #text
      redis.call('HINCRBY', counters, 'dead:' .. reason, 1)
      return true
    end
    local function note_letters()
      if letters then
        redis.call('HSET', counters, 'dead_length', letters, 'dead_bytes', letter_bytes)
      end
    end

    """

  /// `file_or_wait(reason, text)`: a letter into the list, or, when that is full, into `delayed` as
  /// a letter that `take` tries to file again. Needs the above, `delayed` and `now`.
  static let waitingLetters = """
    local function file_or_wait(reason, text)
      if file(reason, text) then return end
      -- The number makes it unlike any other; versions that do not know it leave it in `delayed`.
      local number = redis.call('HINCRBY', counters, 'dead_waited', 1)
      redis.call('ZADD', delayed, now + \(letterPause),
        '~0;id=' .. number .. ';dead=' .. reason .. '\\n' .. text)
      redis.call('HINCRBY', counters, 'dead_waiting', 1)
    end

    """

  /// Milliseconds until a letter that found the list full is tried again.
  static let letterPause = 900_000
}
