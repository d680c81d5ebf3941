"""Redis itself ends and comes back: with everything, with a torn tail, slowly, or empty."""

import shutil
import time

from .crashes import finish
from .resp import Refused
from .scenario import scenario
from .workers import Fleet


def stage(run, append, workers=2, latency=10, **options):
    node = run.redis(append=append, **options)
    simulator = run.simulator("--latency", latency)
    fleet = Fleet(run, node, simulator)
    fleet.add(workers)
    return node, fleet


def restart_under_load(run, node, fleet, before_start=lambda: None):
    producer = run.producer(node, rate=800)
    missing = 0
    for _ in range(run.pick(4, 20)):
        run.sleep(0.5, 1.5)
        if run.random.random() < 0.25:
            node.stop()  # an orderly one, as for an upgrade: it writes all and syncs
        else:
            run.kill_redis(node)
            if node.append == "everysec":
                allow_for_unwritten(run)
        before = run.ledger.copy_of_acknowledged()
        before_start()
        run.sleep(0, 0.7)
        node.start()
        missing += run.note_what_redis_lost(node, before)
    producer.stop()
    finish(run, fleet, node)
    run.note(missingAtRestart=missing)
    return missing


def allow_for_unwritten(run, seconds=2.5):
    """With everysec Redis holds writes back for up to two seconds while a sync is under way, and
    answers all the same: what was settled in that time may be sent again."""
    run.seen_everything(most=1)
    run.allow_repeats(sum(moment > time.time() - seconds - 1 for moment in run.seen.last.values()))


@scenario(quick=150, long=300, in_quick=False, name="redis-always")
def redis_always(run):
    """Redis killed and started again, AOF always: nothing acknowledged may be missing."""
    node, fleet = stage(run, "always")
    run.expect(restart_under_load(run, node, fleet) == 0, "acknowledged events were missing at a restart")


@scenario(quick=150, long=300, name="redis-everysec")
def redis_everysec(run):
    """Redis killed and started again, AOF everysec."""
    node, fleet = stage(run, "everysec")
    restart_under_load(run, node, fleet)


@scenario(quick=150, long=300, in_quick=False, name="redis-torn")
def redis_torn(run):
    """As everysec, and half a command is missing at the end of the AOF, as after a power cut."""
    node, fleet = stage(run, "everysec", options=["--aof-load-truncated", "yes"])
    # The command cut may be a take or a settle: what it moved is sent again.
    run.allow_repeats(run.pick(4, 20) * 2 * fleet.capacity)
    restart_under_load(run, node, fleet, before_start=lambda: tear_tail(run, node))


def tear_tail(run, node):
    part = max((node.folder / "appendonlydir").glob("*.incr.aof"), key=lambda p: p.stat().st_mtime)
    size = part.stat().st_size
    with open(part, "r+b") as file:
        file.truncate(size - min(size, run.random.randint(1, 40)))


@scenario(quick=150, long=300, in_quick=False, name="redis-loading")
def redis_loading(run):
    """Redis answers LOADING for seconds: nobody exits, nothing is lost, work goes on."""
    node, fleet = stage(run, "everysec")
    producer = run.producer(node, rate=800)
    run.sleep(2)
    # A key of many elements, whose loading is slowed down on purpose.
    connection = node.connect()
    connection("EVAL", "for i = 1, 20000 do redis.call('SET', 'other:' .. i, i) end", 0)
    connection.close()
    run.kill_redis(node)
    allow_for_unwritten(run)
    before = run.ledger.copy_of_acknowledged()
    node.start(wait=False, options=["--key-load-delay", 500, "--loading-process-events-interval-bytes", 1024])
    refused = run.wait(lambda: loading_is_seen(node), 20, "LOADING")
    run.wait(node.answers, 60, "Redis to load")
    run.note(loading=refused, missingAtRestart=run.note_what_redis_lost(node, before))
    run.sleep(1)
    producer.stop()
    finish(run, fleet, node)


def loading_is_seen(node):
    try:
        return node.call("GET", "other:1") and "never seen"
    except Refused as error:
        return "LOADING" in str(error) and "seen"


@scenario(quick=150, long=300, in_quick=False, name="redis-empty")
def redis_empty(run):
    """Redis comes back with nothing: workers stay, say so, and serve what comes then."""
    node, fleet = stage(run, "always", latency=1000)  # so slow that a backlog grows
    producer = run.producer(node, rate=800)
    run.sleep(2)
    run.kill_redis(node)
    before = run.ledger.copy_of_acknowledged()
    shutil.rmtree(node.folder / "appendonlydir")
    node.start()
    run.note(missingAtRestart=run.note_what_redis_lost(node, before))
    run.sleep(2)
    producer.stop()
    run.allow_repeats(2 * fleet.capacity)
    finish(run, fleet, node)


@scenario(quick=150, long=300, in_quick=False, name="redis-stall")
def redis_stall(run):
    """Redis stands still (SIGSTOP) as with a disk that does not sync or a machine that is moved: for less
    and for more than a lease."""
    node, fleet = stage(run, "always", latency=30)
    producer = run.producer(node, rate=500)
    for seconds in run.pick((3, 14), (1, 3, 8, 14, 40)):
        run.sleep(2, 3)
        node.child.pause()
        run.sleep(seconds)
        node.child.resume()
        if seconds > 8:
            # All leases are over: whoever asks first takes what the others have on the wire.
            run.allow_repeats(2 * fleet.capacity)
    run.sleep(2)
    producer.stop()
    finish(run, fleet, node)


@scenario(quick=150, long=300, in_quick=False, name="flush-all")
def flush_all(run):
    """FLUSHALL while workers send: what was in Redis is gone with its leases; they join and go on."""
    node, fleet = stage(run, "always", latency=300)
    for _ in range(run.pick(2, 10)):
        producer = run.producer(node, rate=800)
        run.sleep(2, 3)
        producer.stop()
        before = run.ledger.copy_of_acknowledged()
        # What is sent and not yet settled is sent: only what was not begun is missing.
        node.call("FLUSHALL")
        run.sleep(1)
        run.note_what_redis_lost(node, before)
    producer = run.producer(node, rate=400)
    run.sleep(3)
    producer.stop()
    run.allow_repeats(2 * fleet.capacity)
    finish(run, fleet, node)


@scenario(quick=150, long=300, in_quick=False)
def renamed(run):
    """Redis without CONFIG, DEBUG, MONITOR, FLUSHALL, SAVE, ACL and KEYS, as hosted ones are: nothing is missed."""
    gone = ("CONFIG", "DEBUG", "MONITOR", "FLUSHALL", "FLUSHDB", "SAVE", "BGSAVE", "ACL", "SHUTDOWN")
    node, fleet = stage(run, "always", options=[w for name in gone for w in ("--rename-command", name, "")])
    producer = run.producer(node, rate=500, limit=run.pick(2000, 20_000))
    producer.wait(100)
    finish(run, fleet, node)
    answers = {name: refusal(node, name) for name in gone}
    run.expect(all("unknown command" in text for text in answers.values()), f"not renamed: {answers}")


def refusal(node, name):
    try:
        return str(node.call(name))
    except Refused as error:
        return str(error)
