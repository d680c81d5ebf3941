"""What the benchmarks send, and how they fill the queue and watch it drain."""

import json
import time

from chain import ChainError, wait_until

QUEUE = "push:messages"
TAG = "{" + QUEUE + "}"
EVENT_BYTES = 581  # an ordinary chat message to one device, as chat servers push it


def token(number):
    return f"{number:064x}"


def event(number):
    """An event of exactly EVENT_BYTES for a device of its own."""
    value = {
        "v": 1, "id": f"bench-{number:010d}", "type": "message", "app": "chat",
        "room": {"id": 42, "name": "Lunch"},
        "sender": {"id": 7, "name": "Mina", "image": "https://img.example.com/users/7/small.png"},
        "message": {"id": 1000000000 + number, "text": ""},
        "sentAt": int(time.time()), "badge": 3,
        "data": {"lastReadChatId": 99, "mention": True},
        "devices": [{"platform": "ios", "provider": "apns", "environment": "production", "token": token(number), "id": "device-1"}],
    }  # fmt: skip
    missing = EVENT_BYTES - len(json.dumps(value, separators=(",", ":")))
    words = "Shall we try the new noodle place at noon, or is it too far for a short break today? "
    value["message"]["text"] = (words * 4)[:missing]
    return json.dumps(value, separators=(",", ":")).encode()


def fill(redis, count, batch=1000):
    """Fills a list beside the queue; `release` then makes it the queue in one step."""
    staging = TAG + ":staging"
    for start in range(0, count, batch):
        events = [event(n) for n in range(start, min(start + batch, count))]
        redis("RPUSH", staging, *events)
    if redis("LLEN", staging) != count:
        raise ChainError("the queue was not filled")
    return staging


def unfinished(redis):
    keys = redis.scan(TAG + ":inflight:*")
    return redis("LLEN", QUEUE) + redis("ZCARD", TAG + ":delayed") + sum(redis("HLEN", k) for k in keys)


def drain(redis, worker, count, seconds):
    """Waits until nothing of the backlog is left and gives the seconds that it took."""
    started = time.monotonic()

    def empty():
        worker.require_running()
        time.sleep(0.03)
        return redis("LLEN", QUEUE) == 0 and unfinished(redis) == 0

    wait_until(empty, seconds, f"{count} events to drain")
    if dead := redis("LLEN", TAG + ":dead"):
        raise ChainError(f"{dead} dead letters, first: {redis('LINDEX', TAG + ':dead', 0)[:300]}")
    return time.monotonic() - started


# What a client sends on its own; everything else is called inside scripts, and INFO counts it too.
TOP_LEVEL = ("evalsha", "eval", "blmove", "ping", "script|load", "script", "hello", "auth", "select", "wait", "info", "role")


def requests_served(redis):
    """Requests that Redis has answered to its clients, scripts' inner calls left out."""
    stats = redis.info("commandstats")
    calls = {name[len("cmdstat_"):]: int(line.split("calls=")[1].split(",")[0]) for name, line in stats.items()}
    return sum(calls.get(name, 0) for name in TOP_LEVEL)
