"""How the benchmarks fill the queue, watch it drain and count what that took. allim-bench does the pushing."""

import json
import subprocess
import time

from chain import PRODUCTS, ChainError, wait_until

QUEUE = "push:messages"
TAG = "{" + QUEUE + "}"
STAGING = TAG + ":staging"


def allim_bench(*words):
    done = subprocess.run(
        [PRODUCTS / "allim-bench", *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True
    )
    if done.returncode:
        raise ChainError(done.stderr.decode().strip())
    return done.stdout


def event(number=1):
    return allim_bench("event", "--number", number).rstrip(b"\n")


def fill(server, count):
    """Fills a list beside the queue; RENAME then makes it the queue in one step. Gives the size of an event."""
    said = json.loads(allim_bench("fill", "--redis", server.url, "--list", STAGING, "--events", count))
    if said["length"] != count:
        raise ChainError(f"{said['length']} events in the list, not {count}")
    return said["eventBytes"]


def release(redis):
    redis("RENAME", STAGING, QUEUE)


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
    elapsed = time.monotonic() - started
    if dead := redis("LLEN", TAG + ":dead"):
        raise ChainError(f"{dead} dead letters, first: {redis('LINDEX', TAG + ':dead', 0)[:300]}")
    return elapsed


# What the worker sends on its own; everything else is called inside scripts, and INFO counts it too.
TOP_LEVEL = ("evalsha", "eval", "blmove", "ping", "script|load", "script", "hello", "auth", "select", "wait", "role")


def requests_served(redis):
    """Requests of the worker that Redis has answered, the inner calls of scripts left out."""
    stats = redis.info("commandstats")
    calls = {name[len("cmdstat_"):]: int(line.split("calls=")[1].split(",")[0]) for name, line in stats.items()}
    return sum(calls.get(name, 0) for name in TOP_LEVEL)
