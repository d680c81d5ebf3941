"""Providers that fail in every way of the simulator's, and one that is away while the other is not."""

from .crashes import finish
from .scenario import scenario
from .workers import Fleet

QUICK_RETRIES = {
    "ALLIM_RETRY_APNS_QUICK": "50ms,200ms",
    "ALLIM_RETRY_APNS_BASE": "1s",
    "ALLIM_RETRY_APNS_MAX": "4s",
    "ALLIM_RETRY_FCM_BASE": "1s",
    "ALLIM_RETRY_FCM_MAX": "4s",
    "ALLIM_RETRY_FCM_AFTER429": "2s",
    "ALLIM_RETRY_CONNECTION_BASE": "200ms",
    "ALLIM_RETRY_CONNECTION_MAX": "2s",
    "ALLIM_REQUEST_TIMEOUT": "3s",
}

# Faults after which nobody can have got the push: it must be tried again, and arrive once.
CERTAIN = [
    {"respond": {"status": 503, "reason": "ServiceUnavailable"}},
    {"respond": {"status": 500, "reason": "InternalServerError"}},
    {"respond": {"status": 429, "reason": "TooManyRequests", "retryAfter": 1}},
    {"action": "refuse"},
    {"action": "goaway"},
    {"action": "goawayBelow"},
    {"respond": {"delayMs": 1500}},
    {"settings": {"maxConcurrentStreams": 1}, "action": "goaway"},
]
# Faults that leave it open: the answer is lost, so a repeat is right.
OPEN = [{"action": "hang"}, {"action": "reset"}, {"action": "close"}, {"action": "blackhole"}]


def rules_of(run, faults, providers=("apns", "fcm")):
    chosen = []
    for fault in run.random.sample(faults, min(3, len(faults))):
        match = {"provider": run.random.choice(providers), "every": run.random.choice((20, 40, 100))}
        chosen.append({"match": match, **fault})
    return chosen


@scenario(quick=150, long=400)
def provider(run):
    """GOAWAY, refused streams, 5xx, 429, slowness, resets, silence: each push arrives, and once where that is sure."""
    node = run.redis(append="always")
    simulator = run.simulator("--latency", 10)
    fleet = Fleet(run, node, simulator, settings=QUICK_RETRIES)
    fleet.add(2)
    producer = run.producer(node, rate=run.pick(300, 800))
    rounds = run.pick(5, 50)
    for _ in range(rounds):
        simulator.set_rules(*rules_of(run, CERTAIN))
        run.sleep(2, 5)
    simulator.set_rules()
    run.sleep(1)
    sure = run.seen.refresh().repeats()
    run.expect(sure == 0, f"{sure} sent twice after faults that nobody can have got")
    used = sum(len(list(entry)) > 0 for entry in run.seen.statuses.items())
    run.note(answers=dict(sorted(run.seen.statuses.items())), kindsOfAnswers=used)
    for _ in range(max(2, rounds // 2)):
        simulator.set_rules(*rules_of(run, OPEN, providers=("apns",)))
        run.sleep(2, 5)
    simulator.set_rules()
    producer.stop()
    # An answer that was on its way when a connection ended is in the record, and was never heard: each
    # request without an answer may have taken those of all that were on the wire with it.
    run.seen_everything()
    run.allow_repeats(run.seen.statuses[0] * 2 * fleet.lanes)
    finish(run, fleet, node)


@scenario(quick=150, long=300, name="provider-outage")
def provider_outage(run):
    """APNs answers nothing but errors for a while: FCM goes on at its pace, and no push is given up."""
    node, simulator = run.redis(append="always"), run.simulator("--latency", 10)
    fleet = Fleet(run, node, simulator, settings=QUICK_RETRIES)
    fleet.add(1)
    producer = run.producer(node, rate=400)
    run.sleep(3)
    seconds = run.pick(8, 30)
    for fault in ({"respond": {"status": 503, "reason": "ServiceUnavailable"}}, {"action": "hang"}):
        simulator.set_rules({"match": {"provider": "apns"}, **fault})
        run.sleep(1)
        before = run.ledger.copy_of_acknowledged()
        run.sleep(seconds)
        due = {n for n in run.ledger.copy_of_acknowledged() - before if n % 10 == 7}
        came = lambda: len(due & run.seen.refresh().accepted.keys())
        # Late on a busy machine perhaps, but while APNs is still away.
        run.wait(lambda: came() == len(due), 20, "the pushes of FCM while APNs was away")
        run.note(**{f"fcmDuring{fault.get('action', '503')}": f"{came()} of {len(due)}"})
        simulator.set_rules()
        run.sleep(4)
    run.allow_repeats(fleet.lanes)
    producer.stop()
    finish(run, fleet, node)
    run.expect(run.counts["dead"] == 0, f"{run.counts['dead']} were given up in an outage")
