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
    waiting = sum(redis("LLEN", key) for key in (QUEUE, TAG + ":chunks", TAG + ":suspects"))
    return waiting + redis("ZCARD", TAG + ":delayed") + sum(redis("HLEN", k) for k in keys)


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


def cost_over_a_backlog(redis, worker, count, seconds):
    """CPU per event over the first and the last tenth of a backlog that is drained now, and memory."""
    marks, start = [], worker.memory_kb("VmRSS")
    worker.reset_peak_memory()
    cpu, deadline = worker.cpu_seconds, time.monotonic() + seconds
    # The first hundredth opens connections; where the others begin and end is read as it goes by.
    limits = [count * share // 100 for share in (99, 89, 10)]
    while limits:
        worker.require_running()
        if time.monotonic() > deadline:
            raise ChainError(f"{count} events did not drain within {seconds:.0f} s")
        left = redis("LLEN", QUEUE)
        if left <= limits[0]:
            marks.append((left, cpu()))
            limits.pop(0)
        else:
            time.sleep(0.002)
    drain(redis, worker, count, max(1, deadline - time.monotonic()))
    marks.append((0, cpu()))
    costs = [
        (later[1] - earlier[1]) / max(1, earlier[0] - later[0]) * 1e6
        for earlier, later in zip(marks, marks[1:])
    ]
    return {
        "cpuUsPerPushFirst": round(costs[0], 1), "cpuUsPerPushLast": round(costs[-1], 1),
        "startKB": start, "peakKB": worker.memory_kb("VmHWM"),
    }  # fmt: skip


# What the worker sends on its own; everything else is called inside scripts, and INFO counts it too.
TOP_LEVEL = ("evalsha", "eval", "blmove", "ping", "script|load", "script", "hello", "auth", "select", "wait", "role")


def requests_served(redis):
    """Requests of the worker that Redis has answered, the inner calls of scripts left out."""
    stats = redis.info("commandstats")
    calls = {name[len("cmdstat_"):]: int(line.split("calls=")[1].split(",")[0]) for name, line in stats.items()}
    return sum(calls.get(name, 0) for name in TOP_LEVEL)
