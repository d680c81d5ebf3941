"""What Redis holds at one moment, and the invariants over it and over what the providers saw."""

import base64
import collections
import json
import re

from .ledger import EVENT_ID, number_of

# Everything that holds items, in one step: key, then of each item its event's id, how many targets
# of it are marked as done, and a fingerprint of its bytes. Only the test reads keys like this.
ITEMS = """
local found = {}
local function add(key, item)
  local id = string.match(item, '"id":"(e%d+x%d+)"') or ''
  local done = string.match(item, '^~[^\\n]-;done=([^\\n]*)') or '0'
  local body = string.gsub(item, '^~[^\\n]*\\n', '', 1)
  found[#found + 1] = key .. ' ' .. id .. ' ' .. done .. ' ' .. redis.sha1hex(body)
end
local function look(key)
  local kind = redis.call('TYPE', key).ok
  if kind == 'list' then
    for _, item in ipairs(redis.call('LRANGE', key, 0, -1)) do add(key, item) end
  elseif kind == 'zset' then
    for _, item in ipairs(redis.call('ZRANGE', key, 0, -1)) do add(key, item) end
  elseif kind == 'hash' then
    local all = redis.call('HGETALL', key)
    for i = 1, #all, 2 do if tonumber(all[i]) then add(key, all[i + 1]) end end
  end
end
look(ARGV[1])
for _, name in ipairs({'delayed', 'chunks', 'suspects'}) do look(ARGV[2] .. ':' .. name) end
for _, kind in ipairs({'inflight', 'parked'}) do
  for _, key in ipairs(redis.call('KEYS', ARGV[3] .. ':' .. kind .. ':*')) do look(key) end
end
return found
"""

PLACES = re.compile(r":(inflight:.*|delayed|chunks|suspects|parked:.*)$")


def prefix_of(queue):
    return queue if re.search(r"\{[^}]+\}", queue) else "{" + queue + "}"


class Holdings:
    """The items of one queue at one moment."""

    def __init__(self, connection, queue):
        prefix = prefix_of(queue)
        pattern = re.sub(r"([\[\]?*\\])", r"\\\1", prefix)
        self.items = []
        for line in connection("EVAL", ITEMS, 0, queue, prefix, pattern):
            self.items.append(tuple(line.rsplit(b" ", 3)))

    def numbers(self):
        """Every target that may still be sent; those marked as done are among them."""
        found = set()
        for _, name, _, _ in self.items:
            if match := re.fullmatch(rb"e(\d+)x(\d+)", name):
                first, count = int(match[1]), int(match[2])
                found.update(range(first, first + count))
        return found

    def in_two_places(self):
        """Items that stand twice, whole."""
        counts = collections.Counter(item[1:] for item in self.items if item[1])
        return [name.decode() for (name, *_), count in counts.items() if count > 1]


def left_behind(connection, queue):
    """Keys that hold items, besides the list of the producers."""
    pattern = re.sub(r"([\[\]?*\\])", r"\\\1", prefix_of(queue)) + ":*"
    return [key.decode() for key in connection.scan(pattern) if PLACES.search(key.decode())]


def is_drained(connection, queue):
    return connection("LLEN", queue) == 0 and not left_behind(connection, queue)


def letters(connection, queue):
    """(reason, targets) of each dead letter."""
    key, at = prefix_of(queue) + ":dead", 0
    while page := connection("LRANGE", key, at, at + 999):
        at += len(page)
        for text in page:
            letter = json.loads(text)
            yield letter["reason"], letter_targets(letter)


def letter_targets(letter):
    event = letter.get("event")
    if event is None:
        raw = base64.b64decode(letter.get("raw") or "")
        match = re.search(EVENT_ID, raw)
        return list(range(int(match[1]), int(match[1]) + int(match[2]))) if match else []
    people = [event, *event.get("recipients", [])]
    devices = [device for person in people for device in person.get("devices", [])]
    return [n for d in devices if (n := number_of(d.get("token", ""))) is not None]


def invalid_targets(connection, queue):
    for name in ("invalid", "invalid:held"):
        for text in connection("LRANGE", f"{prefix_of(queue)}:{name}", 0, -1):
            if (number := number_of(json.loads(text)["token"])) is not None:
                yield number


def counters(connection, queue):
    words = connection("HGETALL", prefix_of(queue) + ":counters")
    return {name.decode(): int(value) for name, value in zip(words[::2], words[1::2])}


def dead_letters_add_up(connection, queue):
    """LLEN = dead − retried − purged − dropped − taken by others; (holds, text)."""
    have = connection("LLEN", prefix_of(queue) + ":dead")
    count = lambda name: sum(v for k, v in counts.items() if k == name or k.startswith(name + ":"))
    counts = counters(connection, queue)
    due = count("dead") - sum(map(count, ("retried", "dead_purged", "dead_dropped", "dead_taken")))
    return have == due, f"{have} letters, counters say {due}"


class Books:
    """Where each acknowledged target is."""

    def __init__(self, acknowledged, seen, dead, expired, invalid, queued):
        left = set(acknowledged)
        self.counts = {"acknowledged": len(left)}
        sets = {"accepted": seen.accepted.keys(), "invalid": invalid, "dead": dead}
        for name, found in {**sets, "expired": expired, "queued": queued}.items():
            here = left & found if isinstance(found, set) else left.intersection(found)
            self.counts[name] = len(here)
            left -= here
        self.lost = left
        self.counts["repeats"] = seen.repeats()
