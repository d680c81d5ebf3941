"""What operators do while events flow: stops of every kind, deployments, scaling, pauses."""

import json
import os
import re
import signal
import subprocess
import time
import urllib.request

from bench_load import requests_served
from chain import PRODUCTS

from .crashes import finish
from .scenario import Skipped, scenario
from .workers import Fleet

TERM, KILL = signal.SIGTERM, signal.SIGKILL
CONTROL = "{push:messages}:control"


def stage(run, workers, rate=600, latency=30, **more):
    node, simulator = run.redis(append="always"), run.simulator("--latency", latency)
    fleet = Fleet(run, node, simulator, **more)
    fleet.add(workers)
    return node, fleet, run.producer(node, rate=rate)


@scenario(quick=150, long=300)
def shutdown(run):
    """TERM, TERM twice, TERM and KILL at random under load: ends in time with 0, and repeats only after KILL."""
    node, fleet, producer = stage(run, 3, settings={"ALLIM_SHUTDOWN_GRACE": "5s"})
    slowest = 0.0
    for _ in range(run.pick(12, 100)):
        run.sleep(0.1, 0.8)
        # One that has joined: who is ended before it has begun holds nothing.
        joined = lambda: [w for w in fleet.alive() if w.admin in fleet.watch.instances]
        worker = run.random.choice(run.wait(joined, 30, "a worker that has joined"))
        ladder = run.random.choice(((TERM,), (TERM,), (TERM, TERM), (signal.SIGINT, TERM), (TERM, KILL)))
        began = time.monotonic()
        if KILL in ladder:
            worker.signal(TERM)
            run.sleep(0, 0.05)
            fleet.kill(worker)
        else:
            status = fleet.end(worker, ladder, gap=run.random.uniform(0, 0.05))
            run.expect(status == 0, f"ended with {status} after {len(ladder)} signals")
            slowest = max(slowest, time.monotonic() - began)
        fleet.add()
    run.note(slowestStopSeconds=round(slowest, 2))
    run.expect(slowest < 8, f"a stop took {slowest:.1f} s with a grace of 5 s")
    if run.worker_kills == 0:
        run.note(kills="none drawn")
    # A second TERM hands back what is on the wire.
    run.allow_repeats(run.pick(12, 100) * fleet.lanes)
    producer.stop()
    finish(run, fleet, node)


@scenario(quick=150, long=300, in_quick=False)
def rolling(run):
    """Ten workers replaced one after the other under load, again and again: nothing lost, nothing twice."""
    node, fleet, producer = stage(run, 10, rate=1000, lanes=16)
    for _ in range(run.pick(1, 10)):
        for worker in list(fleet.workers):
            next_one = fleet.add()
            run.wait(lambda: next_one.admin in fleet.watch.instances, 30, "the next worker")
            run.expect(fleet.end(worker, gap=0) == 0, "a replaced worker did not end with 0")
    producer.stop()
    finish(run, fleet, node)


def verb(fleet, *words):
    done = subprocess.run(
        [PRODUCTS / "allim", *words, "--redis", fleet.url, "--config", fleet.config, "--json"],
        cwd=fleet.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


@scenario(quick=150, long=300)
def scaling(run):
    """1 to 500 worker tasks each second, pause and resume in between: nothing lost, nothing twice."""
    node, fleet, producer = stage(run, 2, rate=800)
    for step in range(run.pick(12, 60)):
        wanted = 500 if step % 2 else 1
        status, _, errors = verb(fleet, "scale", str(wanted))
        run.expect(status == 0, f"allim scale: {errors.strip()}")
        if run.random.random() < 0.3:
            pause(node, True)
            run.sleep(0.2, 1)
            pause(node, False)
        run.sleep(0.5, 1)
    run.expect(verb(fleet, "scale", "64")[0] == 0, "allim scale failed")
    paused_takes_nothing(run, node)
    producer.stop()
    finish(run, fleet, node)


def pause(node, wanted):
    """What `allim pause` and `resume` write, without a process for each."""
    node.call(*(("HSET", CONTROL, "paused", "1") if wanted else ("HDEL", CONTROL, "paused")))


def paused_takes_nothing(run, node):
    pause(node, True)
    run.sleep(4.5)  # a command reaches everybody within a beat
    before = run.seen.refresh().requests
    run.sleep(1.5)
    after = run.seen.refresh().requests
    pause(node, False)
    run.expect(after == before, f"{after - before} pushes while everything was paused")


@scenario(quick=150, long=300, in_quick=False)
def herd(run):
    """Very many idle instances on one list: what they ask of Redis, and how long an event waits."""
    node, simulator = run.redis(append="none"), run.simulator()
    fleet = Fleet(run, node, simulator, lanes=8)
    shards = run.pick(20, 50)
    fleet.add(run.pick(5, 20), ALLIM_THREADS=str(shards), ALLIM_WORKERS=str(shards))
    count = len(fleet.workers) * shards
    connection = node.connect()
    run.wait(lambda: connection("ZCARD", "{push:messages}:leases") == count, 60, f"{count} instances")
    run.sleep(5)
    before, began = requests_served(connection), time.monotonic()
    run.sleep(10)
    each = (requests_served(connection) - before) / (time.monotonic() - began) / count
    run.invariant("I7", each <= 2, f"{each:.2f} a second")
    producer = run.producer(node, rate=20, limit=100)
    producer.wait(20)
    run.wait(lambda: len(run.seen.refresh().accepted) >= 100, 20, "100 pushes")
    run.note(instances=count, requestsPerSecondAndInstance=round(each, 2))
    run.note(memoryKBEach=round(sum(w.memory_kb("VmRSS") for w in fleet.workers) / count))
    finish(run, fleet, node)


@scenario(quick=60, long=120, name="idle")
def idle(run):
    """One process and two, with four lists and nothing to do: at most 2 requests a second and list each."""
    node, simulator = run.redis(append="none"), run.simulator()
    names = ["push:calls", "push:messages", "push:bulk", "{push}:web"]
    fleet = Fleet(run, node, simulator, queues=[f'{{name: "{name}"}}' for name in names], names=names)
    connection = node.connect()
    seconds = run.pick(8, 30)
    rates = []
    for count in (1, 2):
        fleet.add(1)
        run.wait(lambda: len(fleet.watch.instances) == count, 20, "the worker")
        run.sleep(3)
        before, began = requests_served(connection), time.monotonic()
        run.sleep(seconds)
        each = (requests_served(connection) - before) / (time.monotonic() - began) / count / len(names)
        rates.append(round(each, 2))
        run.invariant("I7", each <= 2, f"{each:.2f} a second with {count} processes and {len(names)} lists")
    run.note(requestsPerSecondAndList=rates)
    for name in names:
        run.producer(node, rate=100, limit=20, queue=name).wait(20)
    finish(run, fleet, node, queues=names)


@scenario(quick=150, long=300, in_quick=False)
def versions(run):
    """Another version ($FAULTS_OTHER_VERSION, a program) beside this one: each takes over what the other leaves."""
    other = os.environ.get("FAULTS_OTHER_VERSION")
    if not other:
        raise Skipped("FAULTS_OTHER_VERSION names no other version of allim")
    node, fleet, producer = stage(run, 1, rate=400)
    large = run.producer(node, rate=0.3, devices=(600,))
    programs = [fleet.program, other]
    for turn in range(run.pick(8, 40)):
        fleet.program = programs[(turn + 1) % 2]
        fleet.add(1)
        fleet.program = programs[turn % 2]
        fleet.add(1)
        run.sleep(1.5, 3)
        worker = run.random.choice(fleet.alive())
        if turn % 2:
            fleet.kill(worker)
        else:
            run.expect(fleet.end(worker) == 0, "a worker did not end with 0")
        while len(fleet.alive()) > 4:
            run.expect(fleet.end(fleet.alive()[0]) == 0, "a worker did not end with 0")
    run.allow_repeats(run.worker_kills * 4 * 64)
    for one in (producer, large):
        one.stop()
    fleet.program = programs[0]
    finish(run, fleet, node)


DEAD = "{push:messages}:dead"


def asked(worker, path):
    with urllib.request.urlopen(f"http://{worker.admin}{path}", timeout=20) as answer:
        return answer.read().decode()


def summed(metrics, name):
    return sum(int(float(found)) for found in re.findall(rf"^allim_{name}(?:{{.*}})? (\S+)$", metrics, re.M))


@scenario(quick=120, long=200, in_quick=False)
def figures(run):
    """`allim dead count`, `stats`, the page's call, /metrics and LLEN agree while letters come, go and return under load."""
    node, fleet, producer = stage(run, 2, rate=run.pick(500, 2000))
    run.wait(lambda: len(fleet.watch.instances) == 2, 20, "the workers")
    connection = node.connect(seconds=20)
    one, other = fleet.workers
    length = lambda: connection("LLEN", DEAD)
    counts = {
        "dead count": lambda: json.loads(verb(fleet, "dead", "count")[1])["count"],
        "stats": lambda: json.loads(verb(fleet, "stats")[1])["dead"],
        "the page": lambda: json.loads(asked(one, "/api/v1/dead?limit=1"))["count"],
    }
    number, retried, purged = 0, 0, 0
    for _ in range(run.pick(8, 40)):
        for _ in range(run.pick(5, 10)):
            bad = [f'{{"id":"bad{number + n}","type":"none"}}' for n in range(100)]
            number += len(bad)
            connection("RPUSH", "push:messages", *bad)
        for name, count in counts.items():
            before, seen, after = length(), count(), length()
            run.expect(before <= seen <= after, f"{name}: {seen}, and LLEN {before} before and {after} after")
        # They come back as letters; what is purged does not.
        retried += json.loads(verb(fleet, "dead", "retry", "--limit", "150")[1])["retried"]
        purged += json.loads(verb(fleet, "dead", "purge", "--limit", "50", "--yes")[1])["purged"]
    producer.stop()
    run.drain(node, 60)
    due = number - purged
    found = {"LLEN": length(), **{name: count() for name, count in counts.items()}}
    found["by reason"] = sum(json.loads(verb(fleet, "stats")[1])["deadByReason"].values())
    for worker, name in ((one, "/metrics"), (other, "/metrics of the other")):
        gauge = lambda: summed(asked(worker, "/metrics"), "dead_letters")
        # The gauge is of a look each five seconds.
        run.wait(lambda: gauge() == due, 15, f"{due} letters in {name}")
        found[name] = gauge()
    run.note(letters=found)
    run.expect(set(found.values()) == {due}, f"{due} letters are due: {found}")
    written = sum(summed(asked(worker, "/metrics"), "dead_letters_total") for worker in (one, other))
    run.note(pushed=number, retried=retried, purged=purged, written=written)
    run.expect(written == number + retried, f"{written} letters written, {number + retried} due")
    finish(run, fleet, node)
