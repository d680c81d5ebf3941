"""Workers and Redis killed at any moment."""

import signal
import threading
import time

from bench_load import requests_served

from .ledger import QUEUE
from .relay import Relay
from .scenario import scenario
from .servers import RedisNode
from .workers import Fleet


@scenario(quick=150, long=600, timed=True)
def kill(run):
    """1 to 8 workers and Redis (AOF always) killed at random instants under load."""
    minutes = 0.25 if run.quick else run.minutes
    goal = {"events": 0, "workers": 0, "redis": 0} if run.quick or minutes < 4 else GOAL
    node = run.redis(append="always")
    simulator = run.simulator("--latency", 15)
    fleet = Fleet(run, node, simulator)
    fleet.add(run.random.randint(1, 8))
    producers = [run.producer(node, rate=rate) for rate in (500, 300, 300)]
    end = time.monotonic() + minutes * 60
    while time.monotonic() < end or not reached(run, goal):
        run.sleep(0.2, 1.2)
        if run.left() < run.pick(60, 150):
            break
        if run.random.random() < 0.22:
            kill_and_restart(run, node)
        else:
            replace_some(run, fleet)
        if run.random.random() < 0.1:
            run.look_for_doubles(node)
        fleet.require_running()
    for producer in producers:
        producer.stop()
    finish(run, fleet, node)


# What a full run must have seen before it ends.
GOAL = {"events": 200_000, "workers": 200, "redis": 50}


def reached(run, goal):
    have = {"events": len(run.ledger), "workers": run.worker_kills, "redis": run.redis_kills}
    return all(have[name] >= goal[name] for name in goal)


def kill_and_restart(run, node):
    run.kill_redis(node)
    run.sleep(0, 0.5)
    node.start()


def replace_some(run, fleet):
    """Kills one or several at once, then brings the fleet to another size."""
    alive = fleet.alive()
    for worker in run.random.sample(alive, min(len(alive), run.random.choice((1, 1, 1, 2, 3)))):
        fleet.kill(worker)
    wanted = run.random.randint(1, 8)
    fleet.add(max(0, wanted - len(fleet.alive())))


def finish(run, fleet, store, seconds=90, queues=(QUEUE,)):
    """One more worker, so that somebody is there; the queue drains; the books are closed."""
    if len(fleet.alive()) < 2:
        fleet.add(2 - len(fleet.alive()))
    # One that has not begun yet is ended by TERM like any process.
    joined = lambda: all(w.admin in fleet.watch.instances for w in fleet.alive())
    run.wait(joined, 40, "the last workers to join")
    drained_after = time.monotonic()
    run.drain(store, seconds, queues)
    run.note(drainSeconds=round(time.monotonic() - drained_after, 1))
    # In the short form one look at idleness is enough; sentinels and nodes of a cluster ask too.
    if isinstance(store, RedisNode) and (not run.quick or run.name == "kill"):
        check_idleness(run, fleet, store)
    for worker in fleet.alive():
        run.expect(fleet.end(worker) == 0, f"worker {worker.number} did not end with 0")
    run.check_recoveries(fleet.watch)
    return run.close_books(store, queues)


def check_idleness(run, fleet, store, seconds=6):
    """I7, once the start of the youngest is over."""
    connection = store.connect()
    run.sleep(2)
    before, began = requests_served(connection), time.monotonic()
    run.sleep(seconds)
    served = requests_served(connection) - before
    connection.close()
    each = served / (time.monotonic() - began) / len(fleet.alive())
    run.note(idleRequestsPerSecond=round(each, 2))
    run.invariant("I7", each <= 2, f"{each:.2f} a second")


SHORT_LEASE = ["{name: push:messages, lease: 5s}"]
SHORT_GRACE = {"ALLIM_SHUTDOWN_GRACE": "2s"}

# At each of these moments the worker is killed: before Redis sees the script, and when it has run
# and the worker has not heard. `release` follows a TERM, `recover` a worker killed before.
POINTS = [
    (script, moment)
    for script in ("take", "settle", "recover", "release", "split")
    for moment in ("before", "reply")
]


@scenario(quick=200, long=600)
def points(run):
    """A worker killed just before and just after each kind of script has run."""
    node, simulator = run.redis(append="always"), run.simulator("--latency", 40)
    fleet = Fleet(run, node, simulator, lanes=32, queues=SHORT_LEASE, settings=SHORT_GRACE)
    producer = run.producer(node, rate=100)
    large = run.producer(node, rate=0.5, devices=(600,))
    missed = []
    for script, moment in POINTS * run.pick(1, 3):
        if not killed_at(run, fleet, node, script, moment):
            missed.append(f"{script} {moment}")
    producer.stop()
    large.stop()
    run.note(pointsNotReached=missed)
    run.expect(not missed, f"never came by: {missed}")
    run.allow_repeats(run.worker_kills * 4 * 64)  # of chunks in progress, 64 results each unwritten
    finish(run, fleet, node)


def killed_at(run, fleet, node, script, moment):
    """Starts a worker behind a relay that kills it when the script comes by for the n-th time."""
    relay = run.start(Relay(node.port))
    left, done, asked = [run.random.randint(1, 3)], threading.Event(), []
    if script in ("recover", "release", "split"):
        left = [1]

    def watch(link, when, name):
        if not fleet.workers:  # it has begun to talk before we know its number
            return None
        worker = fleet.workers[-1]
        if script == "release" and name == "settle" and not asked:
            asked.append(name)
            worker.signal(signal.SIGTERM)
        if (name, when) != (script, moment) or done.is_set():
            return "cut" if done.is_set() else None
        left[0] -= 1
        if left[0]:
            return None
        worker.child.kill()
        done.set()
        return "cut"

    relay.watcher = watch
    worker = fleet.add(url=relay.url)
    reached = done.wait(min(15, max(1, run.left() - 60)))
    if worker.is_running() or reached:
        fleet.kill(worker)
    else:  # it ended before the moment came
        fleet.workers.remove(worker)
    run.running.remove(relay)
    relay.stop()
    return reached


@scenario(quick=150, long=700)
def stop(run):
    """A worker stopped for longer than its lease, then continued: what it had not begun it never sends."""
    node, simulator = run.redis(append="always"), run.simulator("--latency", 1000)
    run.seen.rows = []
    fleet = Fleet(run, node, simulator, lanes=256)
    first = fleet.add()
    producer = run.producer(node, rate=2000, limit=1500)
    producer.wait(30)
    for seconds in run.pick((20,), (5, 20, 300)):
        run.wait(lambda: run.seen.refresh().requests > 200, 20, "the first pushes")
        first.pause()
        mine = {row[2] for row in run.seen.refresh().rows}
        other = fleet.add()
        run.sleep(seconds)
        continued = time.time()
        first.resume()
        if seconds > 12:
            run.allow_repeats(fleet.lanes + 2 * 64)  # on the wire, or answered and not yet written
        run.sleep(4)
        late = sent_again_by(run.seen.refresh(), mine, continued)
        run.note(**{f"stopped{seconds}s": f"{late} sent again by the stopped one after it went on"})
        run.expect(late == 0, f"{late} pushes begun after the lease was over, which another had sent")
        run.expect(fleet.end(other) == 0, "the second worker did not end with 0")
        more = run.producer(node, rate=2000, limit=600)
        more.wait(20)
    finish(run, fleet, node)


def sent_again_by(seen, connections, after):
    """Requests on these connections, begun after a moment, whose target others had sent before."""
    elsewhere = {number for when, number, connection in seen.rows if connection not in connections}
    return sum(
        when > after and number in elsewhere
        for when, number, connection in seen.rows
        if connection in connections
    )
