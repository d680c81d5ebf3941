"""A scenario: a function that is given a `Run`, breaks things, and has its books closed for it."""

import pathlib
import random
import shutil
import tempfile
import time
from dataclasses import dataclass

from chain import ChainError

from . import audit
from .ledger import QUEUE, Ledger
from .processes import RecordingSimulator
from .producer import Producer
from .resp import CLOSED, Refused
from .seen import Seen
from .servers import RedisNode

SCENARIOS = []
INVARIANTS = {
    "I1": "every acknowledged target is accepted, dead, invalid, expired or queued",
    "I2": "repeats are at most what was in flight and unwritten at the faults",
    "I3": "no item is in two places",
    "I4": "the counters of dead letters add up",
    "I5": "nothing is left behind after the drain",
    "I6": "items of a killed worker are back within 20 s",
    "I7": "an idle instance makes at most 2 requests a second and queue",
}


@dataclass
class Scenario:
    name: str
    run: object
    seconds: tuple  # budgets: quick, long
    quick: bool
    about: str
    timed: bool = False  # runs for --minutes


def scenario(quick=30, long=120, in_quick=True, name=None, timed=False):
    """`quick` and `long` are the seconds after which it must have ended; a `timed` one has --minutes
    and four more at least."""

    def register(function):
        title = name or function.__name__.replace("_", "-")
        about = (function.__doc__ or "").strip().splitlines()[0]
        SCENARIOS.append(Scenario(title, function, (quick, long), in_quick, about, timed))
        return function

    return register


class Skipped(Exception):
    """The machine or the build cannot hold this scenario; the text says what is missing."""


class Run:
    """What a scenario has at hand, and what it has counted."""

    def __init__(self, name, seed, quick, minutes, budget):
        self.name, self.quick, self.minutes = name, quick, minutes
        self.random = random.Random(f"{seed}/{name}")
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix=f"allim-faults-{name}-"))
        self.began = time.monotonic()
        self.deadline = self.began + budget
        self.ledger = Ledger()
        self.running = []
        self.problems = []
        self.detail = {}
        self.invariants = {}
        self.worker_kills = self.redis_kills = 0
        self.recoveries = []
        self.repeats_allowed = 0
        self.lost_by_redis = set()
        self.promotions = {}
        self.seen = None
        self.counts = {}

    # Processes, ended in reverse order whatever happens

    def start(self, process):
        self.running.append(process)
        return process

    def stop_all(self):
        while self.running:
            try:
                self.running.pop().stop()
            except Exception as error:  # the others must be stopped too
                self.problems.append(f"stopping: {error}")

    def forget_folder(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def redis(self, **options):
        return self.start(RedisNode(self.folder, **options))

    def simulator(self, *options):
        return self.simulator_beside("simulator", *options)

    def simulator_beside(self, name, *options):
        """Another one, with a folder of its own."""
        folder = self.folder / name
        folder.mkdir()
        simulator = self.start(RecordingSimulator(folder, *options))
        self.seen = Seen(simulator.record)
        return simulator

    def producer(self, store, **options):
        seed = random.Random(self.random.random())
        producer = self.start(Producer(self.ledger, store, seed, **options))
        producer.start()
        return producer

    # Time

    def pick(self, quick, long):
        return quick if self.quick else long

    def left(self):
        return self.deadline - time.monotonic()

    def sleep(self, low, high=None):
        """Between faults: so long, or something between."""
        time.sleep(min(max(0, self.left()), low if high is None else self.random.uniform(low, high)))

    def wait(self, condition, seconds, what, pause=0.05):
        """Polls until true and returns the value; a connection that fails counts as not yet."""
        deadline = min(time.monotonic() + seconds, self.deadline)
        while True:
            try:
                if value := condition():
                    return value
            except (*CLOSED, Refused):
                pass
            if time.monotonic() > deadline:
                raise ChainError(f"waited {seconds} s in vain for {what}")
            time.sleep(pause)

    # Findings

    def expect(self, holds, text):
        if not holds:
            self.problems.append(text)
        return holds

    def note(self, **details):
        self.detail.update(details)

    def invariant(self, name, holds, text=""):
        self.invariants[name] = self.invariants.get(name, True) and bool(holds)
        if not holds:
            self.problems.append(f"{name} ({INVARIANTS[name]}): {text}")

    def allow_repeats(self, count):
        self.repeats_allowed += count

    def kill_redis(self, node):
        node.kill()
        self.redis_kills += 1

    def look_for_doubles(self, store, queue=QUEUE):
        """I3 at one moment; a server that is away is asked another time."""
        try:
            connection = store.connect(queue, seconds=20)
        except (*CLOSED, Refused):
            return
        try:
            twice = audit.Holdings(connection, queue).in_two_places()
            self.invariant("I3", not twice, f"{len(twice)} items twice, first {twice[:3]}")
        except (*CLOSED, Refused):
            pass
        finally:
            connection.close()

    def note_what_redis_lost(self, store, before, queue=QUEUE):
        """After a restart or a failover, at once: of what was acknowledged `before`, what Redis does
        not hold and nobody has got is lost by Redis; how many. All else must not be lost."""
        held = self.held_by(store, queue)
        # What is on its way to a provider at this moment is not missing: it is still in a hash.
        self.seen_everything(most=1.5)
        missing = before - held - self.seen.accepted.keys()
        self.lost_by_redis |= missing
        return len(missing)

    def held_by(self, store, queue=QUEUE):
        """Every target that this server has anywhere, at this moment."""
        connection = store.connect(queue, seconds=60)
        held = audit.Holdings(connection, queue).numbers()
        for _, targets in audit.letters(connection, queue):
            held.update(targets)
        held.update(audit.invalid_targets(connection, queue))
        connection.close()
        return held

    def note_promotion(self, old, new, held):
        """What the new master held when it became one; what the old one acknowledged beyond it may be lost."""
        self.promotions[old.port] = held

    def note_demotion(self, old):
        """The old master follows now, and acknowledges nothing more; how many are lost with it."""
        self.seen.refresh()
        missing = self.ledger.acknowledged_by(old.port) - self.promotions.pop(old.port)
        missing -= self.seen.accepted.keys() | self.lost_by_redis
        self.lost_by_redis |= missing
        return len(missing)

    # The end

    def drain(self, store, seconds, queues=(QUEUE,)):
        """Waits until no item is anywhere; whether that came."""

        def empty():
            for queue in queues:
                connection = store.connect(queue)
                try:
                    if not audit.is_drained(connection, queue):
                        return False
                finally:
                    connection.close()
            return True

        try:
            self.wait(empty, seconds, "the queue to drain", pause=0.2)
            return True
        except ChainError as error:
            self.problems.append(str(error))
            return False

    def close_books(self, store, queues=(QUEUE,), repeats_matter=True):
        """Counts where each acknowledged target is and checks I1 to I5."""
        self.seen_everything()
        dead, expired, invalid, queued = set(), set(), set(), set()
        for queue in queues:
            connection = store.connect(queue, seconds=60)
            for reason, targets in audit.letters(connection, queue):
                (expired if reason == "expired" else dead).update(targets)
            invalid.update(audit.invalid_targets(connection, queue))
            holdings = audit.Holdings(connection, queue)
            queued |= holdings.numbers()
            twice = holdings.in_two_places()
            self.invariant("I3", not twice, f"{len(twice)} items twice, first {twice[:3]}")
            self.invariant("I4", *audit.dead_letters_add_up(connection, queue))
            left = audit.left_behind(connection, queue)
            self.invariant("I5", not left, f"left: {left[:5]}")
            connection.close()
        books = audit.Books(
            self.ledger.copy_of_acknowledged(), self.seen, dead, expired, invalid, queued
        )
        self.counts = books.counts
        redis_lost = books.lost & self.lost_by_redis
        lost = books.lost - self.lost_by_redis
        self.counts["lost"], self.counts["lostByRedis"] = len(lost), len(redis_lost)
        self.invariant("I1", not lost, f"{len(lost)} lost, first {sorted(lost)[:5]}")
        if repeats_matter:
            repeats = books.counts["repeats"]
            self.invariant(
                "I2", repeats <= self.repeats_allowed,
                f"{repeats} repeats, {self.repeats_allowed} allowed",
            )  # fmt: skip
        self.note(repeatsAllowed=self.repeats_allowed)
        return books

    def seen_everything(self, most=30):
        """Reads the record until nothing more comes: the simulator writes it a moment later."""
        still, before, end = 0, -1, time.monotonic() + most
        while still < 4 and time.monotonic() < end:
            self.seen.refresh()
            still = still + 1 if self.seen.requests == before else 0
            before = self.seen.requests
            time.sleep(0.25)

    def check_recoveries(self, watch):
        """I6. Those of whom nothing was known when they were killed are not among them."""
        times = watch.recoveries + [time.monotonic() - moment for _, moment in watch.waiting]
        self.recoveries += times
        late = [t for t in times if t > 20]
        self.invariant("I6", not late, f"{len(late)} of {len(times)} recoveries took up to {max(times, default=0):.1f} s")
