"""Workers and Redis killed at any moment."""

import time

from bench_load import requests_served

from .scenario import scenario
from .workers import Fleet


@scenario(quick=90, long=600)
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


def finish(run, fleet, store, seconds=90):
    """One more worker, so that somebody is there; the queue drains; the books are closed."""
    if len(fleet.alive()) < 2:
        fleet.add(2 - len(fleet.alive()))
    drained_after = time.monotonic()
    run.drain(store, seconds)
    run.note(drainSeconds=round(time.monotonic() - drained_after, 1))
    check_idleness(run, fleet, store)
    for worker in fleet.alive():
        run.expect(fleet.end(worker) == 0, f"worker {worker.number} did not end with 0")
    run.check_recoveries(fleet.watch)
    return run.close_books(store)


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
