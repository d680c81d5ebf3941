"""A large event whose splitting is cut short: by a kill between two steps, by a stop without Redis."""

import signal
import threading
import time

from .crashes import SHORT_LEASE, finish
from .loads import push_large
from .relay import DOWN, UP, Relay
from .scenario import scenario
from .workers import Fleet

STEP = 24 * 250  # devices that one step of a split moves


def stage(run, latency=20):
    node, simulator = run.redis(append="always"), run.simulator("--latency", latency)
    fleet = Fleet(run, node, simulator, queues=SHORT_LEASE, settings={"ALLIM_SHUTDOWN_GRACE": "4s"})
    relay = run.start(Relay(node.port))
    return node, fleet, relay


def at_split(relay, number, moment, act):
    """Calls `act` when a step of a split comes by for the n-th time; an event that tells when it has."""
    left, done, then = [number], threading.Event(), []

    def watch(link, when, name):
        if done.is_set():
            return then[0]
        if (name, when) == ("split", moment):
            left[0] -= 1
            if left[0] == 0:
                then.append(act())
                done.set()
                return then[0]
        return None

    relay.watcher = watch
    return done


@scenario(quick=150, long=300, name="split-kill")
def split_kill(run):
    """A worker killed between two steps of splitting an event: no device is lost, none is sent twice for it."""
    node, fleet, relay = stage(run)
    devices = 4 * STEP
    for turn in range(run.pick(2, 12)):
        worker = []

        def kill():
            worker[0].child.kill()
            return "cut"

        moment = ("before", "reply")[turn % 2]
        done = at_split(relay, run.random.randint(2, 4), moment, kill)
        worker.append(fleet.add(url=relay.url))
        run.wait(lambda: worker[0].admin in fleet.watch.instances, 20, "the worker")
        push_large(run, node, devices)
        run.expect(done.wait(30), f"the split never came to its {moment}")
        fleet.kill(worker[0])
        fleet.add(1)
        run.drain(node, 90)
        run.expect(fleet.end(fleet.workers[-1]) == 0, "the worker did not end with 0")
    # The killed one held the chunks of a step, with up to 64 results each unwritten.
    run.allow_repeats(run.worker_kills * 24 * 64)
    run.note(devices=devices)
    finish(run, fleet, node)


@scenario(quick=150, long=300, name="split-stop")
def split_stop(run):
    """TERM with Redis away, in the middle of splitting an event: it ends in time, and others finish."""
    node, fleet, relay = stage(run)
    devices = 4 * STEP
    longest = 0.0
    for _ in range(run.pick(1, 6)):

        sent = []

        def hold():
            relay.hold = {UP, DOWN}
            sent.append(run.seen.refresh().requests)

        done = at_split(relay, run.random.randint(2, 4), "before", hold)
        worker = fleet.add(url=relay.url)
        run.wait(lambda: worker.admin in fleet.watch.instances, 20, "the worker")
        push_large(run, node, devices)
        run.expect(done.wait(30), "the split never came")
        began = time.monotonic()
        status = fleet.end(worker, (signal.SIGTERM,))
        longest = max(longest, time.monotonic() - began)
        run.expect(status == 0, f"it ended with {status}")
        relay.watcher, relay.hold = None, set()
        relay.cut_all()
        # What is sent while Redis is away cannot be written by one that ends meanwhile.
        run.seen_everything()
        run.allow_repeats(run.seen.requests - sent[0] + fleet.capacity + 24 * 64)
        fleet.add(1)
        run.drain(node, 90)
        run.expect(fleet.end(fleet.workers[-1]) == 0, "the worker did not end with 0")
    run.note(devices=devices, longestStopSeconds=round(longest, 1))
    # The grace of 4 s, and the time limit of 5 s of those commands that nobody answers.
    run.expect(longest < 25, f"a stop without Redis took {longest:.1f} s")
    finish(run, fleet, node)
