"""Connections that fail thousands of times: what each leaves behind in the worker must be nothing."""

import functools
import os
import re
import time

from .crashes import finish
from .doors import Door
from .ledger import QUEUE, event
from .network import stage
from .operating import pause
from .processes import free_port
from .resp import Refused
from .scenario import scenario
from .workers import Fleet

# A credential in trouble is tried about once a second and later seldom: many of them make many rounds.
APPS = 400
QUICK_TRIES = {
    "ALLIM_THREADS": "1",
    "ALLIM_BREAKER_OPEN_AFTER": "1",
    "ALLIM_BREAKER_PROBE_MAX": "1s",
    "ALLIM_RETRY_CONNECTION_BASE": "100ms",
    "ALLIM_RETRY_CONNECTION_MAX": "1s",
}
LOOKS = 10
TOLERANCE = 3


class Refusals:
    """A port that nobody listens on; the rounds are what the worker says of them."""

    open = 0

    def __init__(self, run, target):
        self.run, self.target, self.port = run, target, free_port()
        self.door, self.read, self.counted = None, 0, 0

    @property
    def rounds(self):
        with open(self.log, "rb") as log:
            log.seek(self.read)
            whole, _, _ = log.read().rpartition(b"\n")
        for line in whole.split(b"\n"):
            if b'"message":"no connection"' in line:
                many = re.search(rb'"suppressed":(\d+)', line)
                self.counted += int(many[1]) if many else 1
        self.read += len(whole)
        return self.counted

    def mend(self):
        self.door = self.run.start(Door(self.target, None, port=self.port))


def door_of(run, kind, simulator):
    """The door, and the settings that lead the worker to it."""
    ready = simulator.ready
    apns = lambda door: {"ALLIM_ENDPOINTS_APNS_PRODUCTION": f"localhost:{door.port}"}
    if kind == "refused":
        door = Refusals(run, ready["apnsPort"])
        return door, apns(door)
    if kind == "proxy":
        door = run.start(Door(None, "refusal", asks=True))
        return door, {"ALLIM_PROXY_URL": f"http://127.0.0.1:{door.port}"}
    if kind == "token":
        door = run.start(Door(ready["fcmPort"], "resets"))
        return door, {"ALLIM_ENDPOINTS_OAUTH": f"https://localhost:{door.port}/token"}
    identity = simulator.record.parent / "server.pem"
    door = run.start(Door(ready["apnsPort"], kind, identity=identity if kind == "goaway" else None))
    return door, apns(door)


def push_one_each(run, node, apps, fcm):
    connection = node.connect(seconds=30)
    for app in apps:
        number = run.ledger.reserve(10) + (7 if fcm else 0)
        connection("RPUSH", QUEUE, event(number, extra=f'"app":"{app}",'))
        run.ledger.acknowledge(number)
    connection.close()


def look(run, node, worker, door):
    """Descriptors and memory of the worker while nothing is tried."""
    pause(node, True)
    last, since = None, time.monotonic()

    def is_still():
        nonlocal last, since
        now = (door.rounds, door.open, descriptors(worker))
        if now != last:
            last, since = now, time.monotonic()
        return door.open == 0 and time.monotonic() - since > 1.5

    run.wait(is_still, 40, "the worker to try nothing")
    pause(node, False)
    return descriptors(worker), worker.memory_kb("VmRSS")


def descriptors(worker):
    return len(os.listdir(f"/proc/{worker.pid}/fd"))


def leaves_nothing(kind, run):
    rounds = run.pick(100, 5000)
    apps = [f"a{n}" for n in range(run.pick(50, APPS))]
    node, simulator = run.redis(append="none"), run.simulator()
    fleet = Fleet(run, node, simulator, lanes=256, apps=apps, settings=QUICK_TRIES)
    fleet.config.write_text(re.sub(r"topic: .*", "topic: com.example.chat", fleet.config.read_text()))
    door, settings = door_of(run, kind, simulator)
    worker = fleet.add(**settings)
    if kind == "refused":
        door.log = worker.log
    push_one_each(run, node, apps, fcm=kind == "token")
    watch(run, node, worker, door, rounds)
    door.mend()
    finish(run, fleet, node, seconds=200)
    run.expect(run.counts["accepted"] == len(apps), f"{run.counts['accepted']} of {len(apps)} arrived")


def watch(run, node, worker, door, rounds, each=lambda: None):
    """Looks `LOOKS` times, each after as many rounds; `each` is done again and again."""
    looks = []
    began = time.monotonic()
    for number in range(1, LOOKS + 1):
        wanted = rounds * number / LOOKS
        run.wait(lambda: each() or door.rounds >= wanted, run.left() - 100, f"{rounds} rounds")
        looks.append(look(run, node, worker, door))
    have, memory = zip(*looks)
    run.note(rounds=door.rounds, seconds=round(time.monotonic() - began), descriptors=have, rssKB=memory)
    run.expect(max(have) - min(have) <= TOLERANCE, f"descriptors: {have}")
    # The first looks come before every credential has been in use.
    run.expect(memory[-1] <= memory[2] * 1.1 + 1000, f"memory: {memory} KB")


KINDS = {
    "refused": "refused by TCP",
    "closes": "accepted and closed",
    "cut": "cut in the middle of the TLS handshake",
    "endless": "accepted, and then a handshake that never ends",
    "goaway": "told to go away at once",
    "proxy": "refused by a proxy",
    "token": "reset by the token endpoint",
}
for _kind, _words in KINDS.items():
    _one = functools.partial(leaves_nothing, _kind)
    _one.__doc__ = f"5,000 connections {_words}: descriptors and memory stay, every push arrives."
    scenario(quick=150, long=1500, in_quick=False, name=f"leak-{_kind}")(_one)


class Cutter:
    """Redis ends connections of the worker, which pass a relay, as `CLIENT KILL` does."""

    def __init__(self, node, relay):
        self.node, self.relay = node, relay
        self.control = node.connect(seconds=30)
        self.rounds = self.open = 0

    def cut(self):
        """All that are open; none is left when the worker has not come back yet."""
        for link in list(self.relay.links):
            try:
                host, port = link.redis.getsockname()
                self.rounds += self.control("CLIENT", "KILL", "ADDR", f"{host}:{port}")
            except (OSError, Refused):
                continue


@scenario(quick=150, long=1500, in_quick=False, name="leak-redis")
def leak_redis(run):
    """5,000 connections to Redis killed: descriptors and memory stay, every push arrives."""
    node, fleet, (relay,), producer = stage(run, workers=1, rate=50)
    cutter = Cutter(node, relay)
    watch(run, node, fleet.workers[0], cutter, run.pick(400, 5000), cutter.cut)
    producer.stop()
    finish(run, fleet, node, seconds=100)
