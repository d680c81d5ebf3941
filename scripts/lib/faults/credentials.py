"""Two apps in one worker: what one suffers or is paused for, the other does not notice."""

import time

from .crashes import finish
from .operating import verb
from .providers import QUICK_RETRIES
from .scenario import scenario
from .workers import Fleet

# Tokens of the second app begin with `ab`.
SHOP = 0xB << 248
PARKED = "{push:messages}:parked:shop:apns"


def stage(run, rate=150, **more):
    """Pushes of the first app flow; those of the second begin with `open_shop`."""
    node = run.redis(append="always")
    simulator = run.simulator("--latency", 20, "--topic", "com.example.chat", "--topic", "com.example.shop")
    fleet = Fleet(run, node, simulator, apps=("chat", "shop"), settings=QUICK_RETRIES, **more)
    fleet.add(1)
    chat = run.producer(node, rate=rate, fcm=False, extra='"app":"chat",')
    run.wait(lambda: len(run.seen.refresh().accepted) > 20, 30, "pushes of the first app")
    return node, simulator, fleet, chat


def open_shop(run, node, rate=150):
    shop = run.producer(node, rate=rate, fcm=False, base=SHOP, extra='"app":"shop",')
    run.wait(lambda: sum(n >= SHOP for n in run.seen.refresh().accepted) > 20, 30, "pushes of both apps")
    return shop


class Watched:
    """What became of the pushes that one app's producer was acknowledged in the next seconds."""

    def __init__(self, run, producer, seconds):
        self.began = time.time()
        run.sleep(seconds)
        ended = time.time()
        self.numbers = [n for n, moment in list(producer.moments.items()) if self.began <= moment < ended]
        came = lambda: run.seen.refresh().accepted.keys() >= set(self.numbers)
        run.wait(came, 30, "the pushes of the other app")
        first = [run.seen.first[n] for n in self.numbers]
        self.rate = sum(moment < ended for moment in first) / (ended - self.began)
        self.offered = len(first) / (ended - self.began)
        # Seconds from acknowledgement to the provider.
        self.waits = sorted(moment - producer.moments[n] for n, moment in zip(self.numbers, first))
        self.p99 = max(0, self.waits[len(self.waits) * 99 // 100])

    def __str__(self):
        return f"{self.rate:.0f} of {self.offered:.0f}/s, p99 {self.p99 * 1000:.1f} ms, {self.waits[-1] * 1000:.0f} at most"


def most_overtakers(run, numbers):
    """Of pushes in the order of their events: by how many later ones one was overtaken at most."""
    order = sorted(range(len(numbers)), key=lambda place: run.seen.first[numbers[place]])
    most = 0
    position = {place: at for at, place in enumerate(order)}
    for place in range(len(numbers)):
        most = max(most, position[place] - place)
    return most


NEIGHBOURS = {
    "hanging": {"action": "hang"},
    "refusing": {"action": "refuse"},
    "failing": {"respond": {"status": 500, "reason": "InternalServerError"}},
}


@scenario(quick=150, long=420)
def isolation(run):
    """One of two apps' provider hangs, refuses, then answers 500: the other's pushes keep their rate, their p99 and their order."""
    node, simulator, fleet, chat = stage(run, rate=300)
    seconds = run.pick(8, 60)
    run.sleep(2)
    alone = Watched(run, chat, seconds)
    run.note(alone=str(alone))
    shop = open_shop(run, node, rate=300)
    # Beside other scenarios the machine itself stands still for so long.
    margin = run.pick(0.75, 0.005)
    for name, fault in NEIGHBOURS.items():
        run.sleep(2)
        simulator.set_rules({"match": {"tokenPrefix": "ab"}, **fault})
        beside = Watched(run, chat, seconds)
        simulator.set_rules()
        overtakers = most_overtakers(run, beside.numbers)
        run.note(**{name: f"{beside}, overtaken by {overtakers} at most"})
        share = beside.rate / beside.offered / (alone.rate / alone.offered)
        run.expect(share > 0.9, f"{name}: {share:.0%} of the rate alone")
        most = max(2 * alone.p99, alone.p99 + margin)
        run.expect(beside.p99 <= most, f"{name}: p99 {beside.p99 * 1000:.1f} ms, alone {alone.p99 * 1000:.1f}")
        run.expect(overtakers <= fleet.capacity, f"{name}: a push was overtaken by {overtakers}")
        run.sleep(run.pick(3, 10))
    for one in (chat, shop):
        one.stop()
    run.allow_repeats(4 * fleet.lanes)  # answers that never came
    finish(run, fleet, node, seconds=100)
    run.expect(run.counts["dead"] == 0, f"{run.counts['dead']} were given up")


@scenario(quick=150, long=300, name="pause-app")
def pause_app(run):
    """`allim pause --app`: its events are parked and none is sent, the other app's go on; then each once."""
    node, _, fleet, chat = stage(run)
    shop = open_shop(run, node)
    for turn in range(run.pick(1, 5)):
        status, _, errors = verb(fleet, "pause", "--app", "shop")
        run.expect(status == 0, f"allim pause: {errors.strip()}")
        run.sleep(4.5)  # a command reaches everybody within a beat
        of = lambda: (sum(n >= SHOP for n in run.seen.refresh().accepted), len(run.seen.accepted))
        shops, all_of_them = of()
        run.sleep(3)
        shops_then, all_then = of()
        parked = node.call("LLEN", PARKED)
        run.note(parked=parked)
        run.expect(shops_then == shops, f"{shops_then - shops} pushes of a paused app")
        run.expect(all_then > all_of_them + 100, "the other app stood still")
        run.expect(parked > 300, f"{parked} events are parked")
        status, _, errors = verb(fleet, "resume", "--app", "shop")
        run.expect(status == 0, f"allim resume: {errors.strip()}")
        run.wait(lambda: node.call("LLEN", PARKED) == 0, 40, "the parked events")
    for one in (chat, shop):
        one.stop()
    finish(run, fleet, node)
