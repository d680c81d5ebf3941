"""The way between worker and Redis: cut, held, slow, half open, and replies that never arrive."""

import threading

from .crashes import SHORT_GRACE, SHORT_LEASE, finish
from .relay import DOWN, UP, Relay
from .scenario import scenario
from .workers import Fleet


def stage(run, workers=2, latency=20, rate=400, relayed=1, lanes=64, **more):
    """Workers of which `relayed` reach Redis through a relay each; the others directly."""
    node, simulator = run.redis(append="always"), run.simulator("--latency", latency)
    fleet = Fleet(run, node, simulator, lanes=lanes, **more)
    relays = [run.start(Relay(node.port)) for _ in range(relayed)]
    for relay in relays:
        fleet.add(url=relay.url)
    fleet.add(workers - relayed)
    producer = run.producer(node, rate=rate)
    run.wait(lambda: run.seen.refresh().requests > 50, 20, "the first pushes")
    return node, fleet, relays, producer


def end(run, node, fleet, producer):
    producer.stop()
    finish(run, fleet, node)


@scenario(quick=150, long=300)
def partition(run):
    """Nothing passes between a worker and Redis for 6 s, and for longer than its lease; then all of it."""
    node, fleet, (relay,), producer = stage(run)
    for seconds in run.pick((6, 20), (10, 60, 20)):
        relay.hold = {UP, DOWN}
        run.sleep(seconds)
        relay.hold = set()
        if seconds > 9:
            # Another worker has its items by now: on the wire or answered, and not yet written.
            run.allow_repeats(fleet.capacity)
        run.sleep(3)
    end(run, node, fleet, producer)


@scenario(quick=150, long=300, in_quick=False, name="one-way")
def one_way(run):
    """Replies are lost for 30 s while commands arrive; then commands while replies could arrive."""
    node, fleet, (relay,), producer = stage(run)
    for way in (DOWN, UP):
        relay.swallow = {way}
        run.sleep(run.pick(14, 30))
        relay.swallow = set()
        relay.cut_all()
        run.allow_repeats(fleet.capacity)
        run.sleep(4)
    end(run, node, fleet, producer)


@scenario(quick=150, long=300, in_quick=False, name="slow-line")
def slow_line(run):
    """500 ms each way, then 10 KB a second: it goes on, and nothing is sent twice."""
    node, fleet, (relay,), producer = stage(run, rate=100)
    relay.delay = 0.5
    run.sleep(run.pick(10, 30))
    relay.delay = 0
    relay.bytes_per_second = 10_000
    run.sleep(run.pick(10, 30))
    relay.bytes_per_second = None
    # A line slower than the lease's beats fences its worker.
    run.allow_repeats(fleet.capacity)
    end(run, node, fleet, producer)


@scenario(quick=150, long=300, name="reset-storm")
def reset_storm(run):
    """Every connection reset several times a second: nothing lost, nothing sent twice."""
    node, fleet, relays, producer = stage(run, workers=2, relayed=2)
    for _ in range(run.pick(30, 200)):
        run.random.choice(relays).cut_all(reset=run.random.random() < 0.5)
        run.sleep(0.1, 0.5)
    end(run, node, fleet, producer)


@scenario(quick=150, long=300, in_quick=False, name="half-open")
def half_open(run):
    """Redis' side is gone and nobody says so, as behind a NAT: found within seconds, idle or not."""
    node, fleet, (relay,), producer = stage(run, workers=1)
    for busy in (True, False):
        if not busy:
            producer.stop()
            run.drain(node, 30)
        relay.forget_worker_sides()
        run.sleep(0.5)
        before = run.seen.refresh().requests
        extra = run.producer(node, rate=200, limit=100)
        extra.wait(10)
        run.wait(lambda: run.seen.refresh().requests >= before + 100, 20, "pushes after a half-open connection")
    # Fenced or not: what was on the wire is settled again over the new connection.
    end(run, node, fleet, producer)


GHOSTS = ["take", "settle", "beat", "blmove", "recover", "release", "split"]


@scenario(quick=200, long=600)
def ghost(run):
    """A script runs and its reply is lost with the connection: each of take, settle, split, recover, release."""
    node, simulator = run.redis(append="always"), run.simulator("--latency", 20)
    fleet = Fleet(run, node, simulator, lanes=32, queues=SHORT_LEASE, settings=SHORT_GRACE)
    producer = run.producer(node, rate=200)
    large = run.producer(node, rate=0.5, devices=(600,))
    missed = []
    for script in GHOSTS * run.pick(1, 4):
        if not reply_lost(run, fleet, node, script):
            missed.append(script)
    producer.stop()
    large.stop()
    run.note(neverCameBy=missed)
    # Nobody waits for a list that is never empty; `points` insists on the other two.
    run.expect(not set(missed) - {"blmove", "recover", "release"}, f"never came by: {missed}")
    finish(run, fleet, node)


def reply_lost(run, fleet, node, script):
    """Another worker behind a relay that loses three replies of this script (one of the rarer ones)."""
    relay = run.start(Relay(node.port))
    left, done, asked = [1 if script in ("recover", "release", "split") else 3], threading.Event(), []
    if script == "recover":  # somebody who has joined must have died
        victim = fleet.add()
        run.wait(lambda: victim.admin in fleet.watch.instances, 30, "a worker to kill")
        fleet.kill(victim)

    def watch(link, when, name):
        if when != "reply" or not fleet.workers:
            return None
        worker = fleet.workers[-1]
        if script == "release" and name == "settle" and not asked:
            asked.append(name)
            worker.signal(15)
        if name != script or not left[0]:
            return None
        left[0] -= 1
        if not left[0]:
            done.set()
        return "cut"

    relay.watcher = watch
    worker = fleet.add(url=relay.url)
    reached = done.wait(min(20, max(1, run.left() - 60)))
    run.sleep(0.5)
    run.expect(fleet.end(worker, () if asked else (15,)) == 0, f"the worker did not end with 0 after a lost {script}")
    run.running.remove(relay)
    relay.stop()
    return reached


@scenario(quick=150, long=300, in_quick=False, name="odd-replies")
def odd_replies(run):
    """A reply that comes twice, and one that comes 8 s (long form: 60 s) late."""
    node, fleet, (relay,), producer = stage(run)
    for action in ("twice", ("late", run.pick(8, 60))):
        for script in ("take", "settle", "beat", "blmove"):
            left = [1]

            def watch(link, when, name):
                if when == "reply" and name == script and left[0]:
                    left[0] = 0
                    return action
                return None

            relay.watcher = watch
            run.wait(lambda: not left[0], 20, f"a reply of {script}")
            run.sleep(2)
    relay.watcher = None
    run.sleep(run.pick(8, 60))
    # Replies that belong to other commands: what they confirmed may not have happened.
    run.allow_repeats(8 * fleet.capacity)
    end(run, node, fleet, producer)
