"""Clocks that jump: of Redis' machine, and of a worker's by libfaketime (Debian: faketime)."""

import pathlib

from .crashes import finish
from .scenario import Skipped, scenario
from .workers import Fleet


class FakedClock:
    """A process started with this environment has its own clock, which a file turns."""

    def __init__(self, run, name):
        found = sorted(pathlib.Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))
        if not found:
            raise Skipped("libfaketime is not installed (apt-get install faketime)")
        self.file = run.folder / f"{name}.time"
        self.set(0)
        self.environment = {
            "LD_PRELOAD": str(found[0]), "FAKETIME_TIMESTAMP_FILE": str(self.file),
            "FAKETIME_NO_CACHE": "1", "DONT_FAKE_MONOTONIC": "1",
        }  # fmt: skip

    def set(self, seconds, rate=1):
        """An offset, and how many seconds pass in one."""
        self.file.write_text(f"{seconds:+d}" + (f" x{rate}" if rate != 1 else "") + "\n")


# Everything of the queue that is a moment on Redis' clock. A jump of that clock cannot be had without
# another machine; moving the moments by as much the other way is the same to every script.
SHIFT = """
for _, key in ipairs(KEYS) do
  for _, member in ipairs(redis.call('ZRANGE', key, 0, -1)) do redis.call('ZINCRBY', key, ARGV[1], member) end
end
"""


@scenario(quick=150, long=300, in_quick=False, name="redis-clock")
def redis_clock(run):
    """Redis' clock an hour ahead, then back: leases end early or late, which repeats and loses nothing."""
    node, simulator = run.redis(append="always"), run.simulator("--latency", 20)
    fleet = Fleet(run, node, simulator)
    fleet.add(2)
    producer = run.producer(node, rate=400)
    moments = ["{push:messages}:leases", "{push:messages}:delayed"]
    for _ in range(run.pick(1, 4)):
        for jump in (3600, -3600):
            run.sleep(3, 5)
            node.call("EVAL", SHIFT, 2, *moments, -jump * 1000)
            if jump > 0:
                # Whoever looks first takes what the others hold: on the wire or waiting.
                run.allow_repeats(2 * fleet.capacity)
            run.sleep(6)
    producer.stop()
    finish(run, fleet, node)


@scenario(quick=150, long=300, in_quick=False, name="worker-clock")
def worker_clock(run):
    """A worker's clock is an hour off for a while, then runs fast and slow: what the provider refuses for it is sent afterwards."""
    clock = FakedClock(run, "worker")
    node, simulator = run.redis(append="always"), run.simulator("--latency", 20)
    fleet = Fleet(run, node, simulator)
    fleet.add(1, **clock.environment)
    fleet.add(1)
    producer = run.producer(node, rate=300)
    for offset in (3600, -3600):
        run.sleep(3)
        clock.set(offset)
        run.sleep(run.pick(6, 20))
        clock.set(0)
    for rate in (1.2, 0.8):
        clock.set(0, rate)
        run.sleep(run.pick(6, 20))
        clock.set(0)
    run.sleep(2)
    producer.stop()
    finish(run, fleet, node, seconds=run.pick(90, 120))
    run.expect(run.counts["dead"] == 0, f"{run.counts['dead']} were given up because of a clock")
