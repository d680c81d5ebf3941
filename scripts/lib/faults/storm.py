"""Random faults of the providers at full load, for as long as one likes, with books kept push by push."""

import collections
import os
import statistics
import time
from array import array

from .crashes import finish
from .ledger import number_of
from .providers import CERTAIN, QUICK_RETRIES
from .scenario import scenario
from .seen import Seen, target_of
from .workers import Fleet

RATE = 2_000
TIMEOUT = 3.0  # ALLIM_REQUEST_TIMEOUT of these runs
# Of one request, and of a whole connection with all that is on it.
OF_REQUESTS = [*CERTAIN, {"action": "hang"}, {"action": "reset"}]
OF_CONNECTIONS = [{"action": "close"}, {"action": "blackhole"}]


class Answers(Seen):
    """Also knows on which connection a push was accepted last, and which connections were cut when."""

    def __init__(self, path):
        super().__init__(path)
        self.connections, self.times = array("I"), array("d")
        self.cuts = collections.defaultdict(list)  # connection → moments of its end by a fault
        self.again = []  # (target, connection and moment of the acceptance before, moment of this one)
        self.refused = 0  # answers other than 200, streams refused, and GOAWAYs below a request

    def note(self, line):
        before = self.requests
        super().note(line)
        if self.requests == before:
            return
        self.first.clear()
        self.last.clear()
        connection = int(line[line.index(b'"connection":') + 13 :].split(b",", 1)[0])
        seconds = int(line[line.index(b'"time":') + 7 :].split(b",", 1)[0]) / 1e6
        answer = line[line.rfind(b'"answer":') :]
        if b'"action":"close"' in answer or b'"action":"blackhole"' in answer:
            self.cuts[connection].append(seconds)
        elif b'"status":200' in answer:
            self.accept(line, connection, seconds)
        elif b'"status"' in answer or b'"refuse"' in answer or b'"goawayBelow"' in answer:
            self.refused += 1

    def accept(self, line, connection, seconds):
        number = number_of(target_of(line))
        missing = number + 1 - len(self.times)
        if missing > 0:
            self.connections.extend([0] * missing)
            self.times.extend([0.0] * missing)
        if self.times[number]:
            self.again.append((number, self.connections[number], self.times[number], seconds))
        self.connections[number], self.times[number] = connection, seconds

    def unexplained(self):
        """Repeats of pushes whose answer was not lost: with a connection, or by coming too late."""
        lost = lambda connection, moment: any(cut < moment + TIMEOUT for cut in self.cuts[connection])
        return [
            number for number, connection, earlier, later in self.again
            if not lost(connection, earlier) and later - earlier < TIMEOUT
        ]  # fmt: skip


class Use:
    """Memory and descriptors of the workers, over time."""

    def __init__(self, fleet):
        self.fleet, self.memory, self.descriptors = fleet, [], []

    def look(self):
        workers = self.fleet.alive()
        self.memory.append(max(worker.memory_kb("VmRSS") for worker in workers))
        self.descriptors.append(max(len(os.listdir(f"/proc/{worker.pid}/fd")) for worker in workers))

    def grown(self, values):
        """(early, late): the highest of the first half, since malloc keeps what its highest moment took, and the
        median of the last fifth."""
        return max(values[: max(1, len(values) // 2)]), statistics.median(values[-max(1, len(values) // 5) :])


def rules_of(run):
    rules = []
    for fault in run.random.sample(OF_REQUESTS, run.random.randint(0, 3)):
        # FCM has a tenth of the pushes.
        provider, every = run.random.choice((("apns", 20), ("apns", 50), ("apns", 200), ("fcm", 10)))
        rules.append({"match": {"provider": provider, "every": every}, **fault})
    if run.random.random() < 0.3:
        match = {"every": run.random.choice((500, 2_000))}
        rules.insert(0, {"match": match, **run.random.choice(OF_CONNECTIONS)})
    return rules


@scenario(quick=540, long=540, timed=True, name="provider-storm")
def provider_storm(run):
    """2,000 pushes a second through random faults, for --minutes: none lost, none repeated that was refused or never sent."""
    node = run.redis(append="always")
    simulator = run.simulator("--latency", 10)
    run.seen = Answers(simulator.record)
    fleet = Fleet(run, node, simulator, lanes=256, settings=QUICK_RETRIES)
    fleet.add(2)
    use = Use(fleet)
    began = time.monotonic()
    producers = [run.producer(node, rate=RATE / 4 * 1.05) for _ in range(4)]
    while (seconds := time.monotonic() - began) < run.minutes * 60:
        simulator.set_rules(*rules_of(run))
        run.sleep(2, 6)
        run.seen.refresh()
        fleet.require_running()
        use.look()
    simulator.set_rules()
    for producer in producers:
        producer.stop()
    rate = len(run.ledger) / (time.monotonic() - began)
    run.note(rate=round(rate), answers=dict(sorted(run.seen.statuses.items())), cuts=sum(map(len, run.seen.cuts.values())))
    run.drain(node, 90)
    run.seen_everything()
    unexplained = run.seen.unexplained()
    run.note(unexplained=len(unexplained))
    run.expect(
        not unexplained, f"{len(unexplained)} repeats of pushes whose answer was not lost, first {unexplained[:5]}"
    )
    run.allow_repeats(len(run.seen.again))
    memory, descriptors = use.grown(use.memory), use.grown(use.descriptors)
    run.note(memoryMB=[round(kb / 1024, 1) for kb in memory], descriptors=descriptors)
    # What malloc keeps of a larger moment, and connections that are just being replaced.
    run.expect(memory[1] < memory[0] * 1.1 + run.pick(16_384, 8_192), f"memory grew from {memory[0]} to {memory[1]} KB")
    run.expect(descriptors[1] < descriptors[0] + 12, f"descriptors grew from {descriptors[0]} to {descriptors[1]}")
    run.expect(rate > RATE * run.pick(0.75, 0.95), f"{rate:.0f} pushes a second, not {RATE}")
    finish(run, fleet, node)
    run.expect(run.counts["dead"] == 0, f"{run.counts['dead']} were given up")
