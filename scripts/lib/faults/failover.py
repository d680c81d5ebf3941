"""Redis with replicas: a master dies or hands over, a slot moves, while events flow."""

import time

from .crashes import finish
from .ledger import QUEUE
from .scenario import Skipped, scenario
from .servers import ClusterSet, SentinelSet
from .workers import Fleet


def start_workers(run, store, simulator, count, **more):
    """A build that cannot speak to this kind of Redis ends at once with a reason."""
    fleet = Fleet(run, store, simulator, **more)
    fleet.add(count)
    time.sleep(1)
    if not all(worker.is_running() for worker in fleet.workers):
        raise Skipped(f"this build: {fleet.workers[0].log_tail(1)[:160]}")
    return fleet


def follow_promotion(run, old, new, queue=QUEUE):
    """Waits until `new` is master and notes at once what it holds."""
    began = time.monotonic()
    run.wait(lambda: new().call("ROLE")[0] == b"master" and new() is not old, 60, "a promotion", pause=0.01)
    promoted = new()
    held = run.held_by(promoted, queue)
    run.note_promotion(old, promoted, held)
    return promoted, time.monotonic() - began


def work_resumes(run, producer, seconds=60):
    """Events pushed from now on are delivered."""
    before = len(run.ledger)
    run.wait(lambda: len(run.ledger) > before + 100, seconds, "acknowledgements after the failover")
    seen = len(run.seen.refresh().accepted)
    run.wait(lambda: len(run.seen.refresh().accepted) > seen + 100, seconds, "deliveries after the failover")


def fail_over(run, store, fleet, producer, turns):
    """Masters killed and replaced on purpose in turn; what was missing at each promotion."""
    took, missing = [], {"kill": [], "planned": []}
    for turn in range(turns):
        run.sleep(1, 3)
        old = store.master()
        if turn % 2 == 0:
            run.kill_redis(old)
        else:
            store.sentinels[0].node_call("SENTINEL", "FAILOVER", store.NAME)
        _, seconds = follow_promotion(run, old, store.master)
        took.append(seconds)
        work_resumes(run, producer)
        if not old.is_running():
            old.start(wait=False)  # it comes back as master, and is told
        run.wait(lambda: old.call("ROLE")[0] == b"slave", 40, "the old master to follow")
        missing["planned" if turn % 2 else "kill"].append(run.note_demotion(old))
        run.allow_repeats(2 * fleet.capacity)
        run.wait(store.all_linked_to_master, 40, "the replicas")
    run.note(secondsToPromotion=[round(s, 1) for s in took], missingAtPromotion=missing)
    return missing


@scenario(quick=150, long=300)
def sentinel(run):
    """Master killed, SENTINEL FAILOVER, a stale master comes back, all sentinels away for a while."""
    store = SentinelSet(run)
    simulator = run.simulator("--latency", 20)
    fleet = start_workers(run, store, simulator, 2)
    producer = run.producer(store, rate=500)
    run.wait(lambda: run.seen.refresh().requests > 100, 30, "the first pushes")
    fail_over(run, store, fleet, producer, run.pick(2, 8))
    # Who is still with the old master cannot find the new one once the sentinels are away.
    run.wait(lambda: producer.port() == store.master().port, 30, "the producer at the new master")
    work_resumes(run, producer)
    for one in store.sentinels:
        one.kill()
    run.sleep(3)  # nobody to ask: who is connected goes on
    work_resumes(run, producer)
    for one in store.sentinels:
        one.start()
    producer.stop()
    finish(run, fleet, store)


@scenario(quick=150, long=300, in_quick=False, name="sentinel-stop")
def sentinel_stop(run):
    """Workers that look for a master in vain, since the sentinels are away, are asked to end: they do."""
    store = SentinelSet(run)
    simulator = run.simulator("--latency", 500)
    fleet = start_workers(run, store, simulator, 1, settings={"ALLIM_SHUTDOWN_GRACE": "3s"})
    longest = 0.0
    for turn in range(run.pick(4, 20)):
        producer = run.producer(store, rate=200)
        seen = run.seen.refresh().requests
        run.wait(lambda: run.seen.refresh().requests > seen + 50, 30, "pushes")
        producer.stop()
        master = store.master()
        for one in store.sentinels:
            one.kill()
        master.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
        run.sleep(0, 4)
        # In half of the turns they are back just before it ends.
        if turn % 2:
            for one in store.sentinels:
                one.start()
            run.sleep(0, 0.5)
        began = time.monotonic()
        run.expect(fleet.end(fleet.workers[0], gap=0) == 0, "a worker did not end with 0")
        longest = max(longest, time.monotonic() - began)
        for one in store.sentinels:
            if not one.child.is_running():
                one.start()
        run.allow_repeats(fleet.capacity)
        fleet.add(1)
        run.wait(lambda: fleet.workers[0].admin in fleet.watch.instances, 40, "the next worker")
    run.note(longestStopSeconds=round(longest, 1))
    run.expect(longest < 20, f"a stop took {longest:.1f} s with a grace of 3 s")
    finish(run, fleet, store)


@scenario(quick=150, long=300, in_quick=False, name="sentinel-wait")
def sentinel_wait(run):
    """The producer counts an event as pushed when a replica has it (WAIT), workers wait for one too."""
    store = SentinelSet(run)
    simulator = run.simulator("--latency", 20)
    fleet = start_workers(run, store, simulator, 2, settings={"ALLIM_REDIS_WAIT_REPLICAS": "1"})
    producer = run.producer(store, rate=300, replicas=1)
    run.wait(lambda: run.seen.refresh().requests > 100, 30, "the first pushes")
    missing = fail_over(run, store, fleet, producer, run.pick(2, 8))
    producer.stop()
    finish(run, fleet, store)
    run.expect(sum(missing["kill"]) == 0, f"{missing['kill']} that a replica had are missing")


@scenario(quick=150, long=300, in_quick=False, name="sentinel-min-replicas")
def sentinel_min_replicas(run):
    """Masters that take nothing while no replica has followed them for a second (min-replicas-to-write)."""
    store = SentinelSet(run, options=["--min-replicas-to-write", "1", "--min-replicas-max-lag", "1", "--repl-ping-replica-period", "1"])
    simulator = run.simulator("--latency", 20)
    fleet = start_workers(run, store, simulator, 2)
    producer = run.producer(store, rate=300)
    run.wait(lambda: run.seen.refresh().requests > 100, 30, "the first pushes")
    fail_over(run, store, fleet, producer, run.pick(2, 8))
    producer.stop()
    run.note(refused=run.ledger.refused)
    finish(run, fleet, store)


QUEUES = ["push:ios", "push:android", "{push}:web"]


@scenario(quick=150, long=300)
def cluster(run):
    """Master killed, CLUSTER FAILOVER, a queue's slot moved to and fro, three lists of any name."""
    store = ClusterSet(run)
    simulator = run.simulator("--latency", 20)
    fleet = start_workers(run, store, simulator, 2, queues=[f'{{name: "{q}"}}' for q in QUEUES], names=QUEUES)
    producers = [run.producer(store, rate=150, queue=queue) for queue in QUEUES]
    run.wait(lambda: run.seen.refresh().requests > 100, 30, "the first pushes")
    missing = {"kill": [], "planned": []}
    for turn in range(run.pick(2, 6)):
        queue = run.random.choice(QUEUES)
        old = store.master_of(queue)
        replica = store.replica_of(old)
        there = [q for q in QUEUES if store.master_of(q) is old]
        if turn % 2 == 0:
            run.kill_redis(old)
        else:
            replica.call("CLUSTER", "FAILOVER")
        run.wait(lambda: replica.call("ROLE")[0] == b"master", 60, "a promotion", pause=0.01)
        held = set()
        for one in there:
            held |= run.held_by(replica, one)
        run.note_promotion(old, replica, held)
        work_resumes(run, producers[0])
        if not old.is_running():
            old.start(wait=False)
        run.wait(lambda: old.call("ROLE")[0] == b"slave", 40, "the old master to follow")
        missing["planned" if turn % 2 else "kill"].append(run.note_demotion(old))
        run.allow_repeats(2 * fleet.capacity)
        run.wait(store.is_whole, 60, "the cluster")
    moves = 0
    for _ in range(run.pick(4, 20)):
        queue = run.random.choice(QUEUES)
        target = run.random.choice([n for n in store.masters() if n is not store.master_of(queue)])
        store.move_slot(queue, target, pause=0.02)
        moves += 1
        run.sleep(0.3, 1)
    work_resumes(run, producers[0])
    run.note(slotMoves=moves, missingAtPromotion=missing)
    for producer in producers:
        producer.stop()
    finish(run, fleet, store, queues=QUEUES)
