"""Loads of unusual shape: one event to very many devices, deadly items, long backlogs, many processes."""

import pathlib
import shutil
import subprocess
import threading
import time

import bench_load

from .audit import letters
from .crashes import SHORT_LEASE, finish
from .ledger import QUEUE, event
from .relay import Relay
from .scenario import Skipped, scenario
from .workers import Fleet


def push_large(run, node, devices):
    first = run.ledger.reserve(devices)
    connection = node.connect(seconds=30)
    connection("RPUSH", QUEUE, event(first, devices))
    connection.close()
    run.ledger.acknowledge(first, devices)


@scenario(quick=150, long=300)
def fanout(run):
    """One event to very many devices, one of four workers killed every 2 s: each device is reached, none is poison."""
    devices, kills = run.pick(10_000, 100_000), run.pick(5, 30)
    node, simulator = run.redis(append="always"), run.simulator("--latency", 200)
    fleet = Fleet(run, node, simulator, queues=SHORT_LEASE if run.quick else None)
    fleet.add(4)
    peaks = [0]
    push_large(run, node, devices)
    for _ in range(kills):
        run.sleep(run.pick(1.5, 2))
        worker = run.random.choice(fleet.alive())
        peaks += [w.memory_kb("VmHWM") for w in fleet.alive()]
        fleet.kill(worker)
        fleet.add()
    # On the wire, and per chunk in progress 64 results not yet written.
    run.allow_repeats(kills * 4 * 64)
    run.drain(node, run.pick(60, 200))
    peaks += [w.memory_kb("VmHWM") for w in fleet.alive()]
    run.note(devices=devices, peakKB=max(peaks))
    run.expect(max(peaks) < 150_000, f"a worker took {max(peaks)} KB")
    finish(run, fleet, node)
    run.expect(run.counts["dead"] == 0, "some devices ended as dead letters")


@scenario(quick=150, long=300, name="fanout-calm")
def fanout_calm(run):
    """The same without kills, and other events beside it: exactly once, and the others do not wait."""
    devices = run.pick(10_000, 100_000)
    node, simulator = run.redis(append="always"), run.simulator("--latency", 20)
    fleet = Fleet(run, node, simulator)
    fleet.add(4)
    run.wait(lambda: len(fleet.watch.instances) == 4, 20, "four workers")
    push_large(run, node, devices)
    others = run.producer(node, rate=50, limit=100)
    others.wait(20)
    run.wait(lambda: set(run.seen.refresh().accepted) >= set(range(devices, devices + 100)), 30, "the other events")
    finish(run, fleet, node, seconds=run.pick(90, 200))
    first = run.seen.first
    waited = max(first[n] for n in range(devices, devices + 100)) - min(first[n] for n in range(devices))
    run.note(devices=devices, othersDoneAfterSeconds=round(waited, 1))
    peak = max(w.peak for w in fleet.ended)
    run.note(peakKB=peak)
    run.expect(peak < 150_000, f"a worker took {peak} KB")


BAD_ITEMS = [
    b"not json", b"", b"null", b"[]", b'"text"', b"{}", b'{"platform":"pager"}', b"[" * 10_000,
    b'{"type":"notice","title":"a","title":"b"}', b'{"n":' + b"9" * 10_000 + b"}", bytes(range(256)),
    b'{"type":"message","message":{"text":"' + b"x" * 10_000_000 + b'"}', b"\xff\xfe{}", b"~1;broken\n{}",
]  # fmt: skip


@scenario(quick=150, long=300)
def poison(run):
    """Items that are no events, and one that ends whoever holds it: each set aside once, 255 others delivered."""
    node, simulator = run.redis(append="always"), run.simulator("--latency", 5)
    fleet = Fleet(run, node, simulator, queues=SHORT_LEASE)
    relay = run.start(Relay(node.port))
    connection = node.connect(seconds=20)
    deaths = []

    def watch(link, when, name):
        # Two in company, one in a group of suspects, three alone: whoever takes it then buries it.
        if len(deaths) < 6 and when == "reply" and name == "take" and holds(connection_of_watch, relay.owners, b"deadly"):
            deaths.append(time.monotonic())
            fleet.workers[-1].child.kill()
            return "cut"
        return None

    connection_of_watch = node.connect()
    relay.watcher = watch
    innocents = run.producer(node, rate=1000, limit=255)
    for item in BAD_ITEMS:
        connection("RPUSH", QUEUE, item)
    deadly = b'{"id":"deadly","type":"notice","title":"t","devices":[{"platform":"ios","token":"%s"}]}' % (b"d" * 64)
    connection("RPUSH", QUEUE, deadly)
    innocents.wait(20)
    end = time.monotonic() + run.pick(100, 130)
    while time.monotonic() < end and not any(r == "poison" for r, _ in letters(connection, QUEUE)):
        relay.owners.clear()
        worker = fleet.add(url=relay.url)
        while worker.is_running() and time.monotonic() < end:
            if any(r == "poison" for r, _ in letters(connection, QUEUE)):
                break
            time.sleep(0.1)
        if not worker.is_running():
            fleet.kill(worker)
    reasons = sorted(reason for reason, _ in letters(connection, QUEUE))
    run.note(deaths=len(deaths), letters=len(reasons))
    run.expect(reasons.count("poison") == 1, f"the deadly item is not set aside after {len(deaths)} deaths")
    finish(run, fleet, node)
    run.expect(len(run.seen.accepted.keys() & run.ledger.acknowledged) == 255, "an innocent was not delivered")
    found = connection("LLEN", "{push:messages}:dead")
    run.expect(found == len(BAD_ITEMS) + 1, f"{found} letters for {len(BAD_ITEMS) + 1} bad items")


def holds(connection, hashes, mark):
    """Whether one of these instances holds an item with this mark."""
    return any(mark in value for key in hashes for value in connection("HVALS", key))


class Stalls(threading.Thread):
    """Counts how often this machine keeps a process waiting for 10 ms that wants to run."""

    def __init__(self):
        super().__init__(daemon=True)
        self.count = 0
        self.ended = threading.Event()
        self.start()

    def run(self):
        while not self.ended.is_set():
            began = time.monotonic()
            time.sleep(0.001)
            self.count += time.monotonic() - began > 0.011

    def stop(self):
        self.ended.set()
        self.join()


@scenario(quick=150, long=400, in_quick=False)
def backlog(run):
    """A long backlog of one-device events: the last cost what the first did, memory flat, no slow command."""
    count = run.pick(50_000, 1_000_000)
    # SLOWLOG counts time on the clock, also while others have the processor: where that is allowed
    # Redis goes before all others, so that what it counts is its own.
    first_of_all = ("chrt", "--fifo", "1")
    is_first = subprocess.run([*first_of_all, "true"], capture_output=True).returncode == 0
    node = run.redis(append="none", wrapping=first_of_all if is_first else ())
    simulator = run.simulator("--count-only")
    connection = node.connect(seconds=60)
    connection("CONFIG", "SET", "slowlog-log-slower-than", 10_000)
    fleet = Fleet(run, node, simulator, lanes=400)
    bench_load.fill(node, count)
    worker = fleet.add()
    run.wait(lambda: worker.admin in fleet.watch.instances, 20, "the worker")
    connection("SLOWLOG", "RESET")
    stalls = run.start(Stalls())
    bench_load.release(connection)
    measured = bench_load.cost_over_a_backlog(connection, worker, count, run.left() - 30)
    slow, stalled = connection("SLOWLOG", "LEN"), 0 if is_first else stalls.count
    longest = max((entry[2] for entry in connection("SLOWLOG", "GET", 128)), default=0)
    run.note(events=count, **measured, slowCommands=slow, longestMs=round(longest / 1000, 1))
    run.note(redisGoesFirst=is_first, stallsOfTheMachine=stalls.count)
    first, last = measured["cpuUsPerPushFirst"], measured["cpuUsPerPushLast"]
    run.expect(last <= first * 1.1, f"an event costs {last} us at the end and {first} us at the start")
    run.expect(measured["peakKB"] <= measured["startKB"] * 1.5 + 10_000, "memory grew with the backlog")
    # Without that right: a machine that lets this process wait lets Redis wait too.
    run.expect(not slow or stalled, f"{slow} commands over 10 ms, the longest {longest / 1000:.1f} ms")
    answered = simulator.get("/stats")["requests"]
    run.expect(answered == count, f"{answered} pushes of {count} events")
    run.expect(fleet.end(worker) == 0, "the worker did not end with 0")


@scenario(quick=150, long=300, in_quick=False)
def eight(run):
    """Eight processes on one list against one: CPU per push within 15 %, idle at most 2 requests a second each."""
    count = run.pick(40_000, 300_000)
    costs = []
    for processes in (1, 8):
        node = run.redis(append="none", name=f"redis-{processes}")
        simulator = run.simulator_beside(f"simulator-{processes}", "--count-only")
        fleet = Fleet(run, node, simulator, lanes=400 // processes)
        connection = node.connect(seconds=60)
        fleet.add(processes)
        run.wait(lambda: len(fleet.watch.instances) == processes, 20, "the workers")
        bench_load.fill(node, count)
        before = sum(w.cpu_seconds() for w in fleet.workers)
        bench_load.release(connection)
        bench_load.drain(connection, fleet.workers[0], count, run.left() - 40)
        costs.append((sum(w.cpu_seconds() for w in fleet.workers) - before) / count * 1e6)
        if processes == 8:
            idle(run, connection, fleet)
        for worker in fleet.alive():
            fleet.end(worker, gap=0)
    one, many = costs
    run.note(cpuUsPerPushOne=round(one, 1), cpuUsPerPushEight=round(many, 1))
    run.expect(many <= one * 1.15, f"{many:.1f} us a push with eight processes, {one:.1f} with one")


def idle(run, connection, fleet):
    run.sleep(2)
    before, began = bench_load.requests_served(connection), time.monotonic()
    run.sleep(8)
    served = bench_load.requests_served(connection) - before
    each = served / (time.monotonic() - began) / len(fleet.workers)
    run.note(idleRequestsPerSecond=round(each, 2))
    run.invariant("I7", each <= 2, f"{each:.2f} a second")


# A producer in each language that is here: plain RPUSH over a socket or the usual client, no library.
PRODUCERS = pathlib.Path(__file__).parent / "producers"
LANGUAGES = {
    "python": (["python3", "push.py"], "python3"),
    "node": (["node", "push.mjs"], "node"),
    "perl": (["perl", "push.pl"], "perl"),
    "java": (["java", "Push.java"], "java"),
    "bash": (["bash", "push.sh"], "bash"),
    "redis-cli": (["sh", "push-cli.sh"], "redis-cli"),
    "ruby": (["ruby", "push.rb"], "ruby"),
    "php": (["php", "push.php"], "php"),
}


@scenario(quick=150, long=300, in_quick=False)
def producers(run):
    """Producers in several languages with plain RPUSH: everything arrives."""
    node, simulator = run.redis(append="always"), run.simulator()
    fleet = Fleet(run, node, simulator)
    fleet.add(1)
    used = []
    for language, (command, program) in LANGUAGES.items():
        if not shutil.which(program):
            continue
        first = run.ledger.reserve(20)
        lines = b"\n".join(event(n, text="안녕 👋 \\\"q\\\" \\u00e9") for n in range(first, first + 20)) + b"\n"
        (run.folder / "events").write_bytes(lines)
        with open(run.folder / "events", "rb") as events:
            done = subprocess.run(
                [*command, str(node.port), QUEUE], cwd=PRODUCERS, stdin=events, capture_output=True, timeout=60
            )
        if run.expect(done.returncode == 0, f"{language}: {done.stderr.decode()[-300:]}"):
            run.ledger.acknowledge(first, 20)
            used.append(language)
    if not used:
        raise Skipped("none of the languages is installed")
    run.note(languages=used)
    finish(run, fleet, node)
