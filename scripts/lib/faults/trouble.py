"""Redis runs and says no: memory full, disk full, scripts gone, clients killed, permissions changed."""

import subprocess
import time

from .crashes import finish
from .network import end
from .scenario import Skipped, scenario
from .workers import Fleet


def stage(run, rate=500, latency=15, workers=2, options=(), **more):
    node, simulator = run.redis(append="always", options=options), run.simulator("--latency", latency)
    fleet = Fleet(run, node, simulator, **more)
    fleet.add(workers)
    producer = run.producer(node, rate=rate)
    run.wait(lambda: run.seen.refresh().requests > 50, 20, "the first pushes")
    return node, fleet, producer


@scenario(quick=150, long=300)
def oom(run):
    """Producers fill Redis to maxmemory: workers drain it all the same, and keep their leases."""
    node, fleet, producer = stage(run, latency=150)
    connection = node.connect()
    used = connection.info("memory")["used_memory"]
    connection("CONFIG", "SET", "maxmemory", int(used) + 3_000_000)
    connection("CONFIG", "SET", "maxmemory-policy", "noeviction")
    # Of a size with which two of them are faster than these workers on any machine.
    pad = '"pad":"' + 2000 * "x" + '",'
    floods = [run.producer(node, rate=50_000, extra=pad) for _ in range(2)]
    run.wait(lambda: run.ledger.refused > 0, 30, "a refused RPUSH")
    instances = sorted(connection("ZRANGE", "{push:messages}:leases", 0, -1))
    run.sleep(run.pick(14, 40))  # longer than a lease
    leases = sorted(connection("ZRANGE", "{push:messages}:leases", 0, -1))
    run.expect(leases == instances, "a lease was lost while memory was full")
    for one in (producer, *floods):
        one.stop()
    run.note(refused=run.ledger.refused)
    run.drain(node, 60)
    connection("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
    late = fleet.add()
    try:
        status = late.child.wait(20)
    except subprocess.TimeoutExpired:
        status = None
    fleet.workers.remove(late)
    run.expect(status == 2, f"a worker started with {status} where Redis may throw keys away")
    connection("CONFIG", "SET", "maxmemory", 0)
    finish(run, fleet, node)


@scenario(quick=150, long=300, in_quick=False)
def misconf(run):
    """Writes are refused because the last save failed (MISCONF); results wait until they can be stored."""
    node, fleet, producer = stage(run, options=["--enable-protected-configs", "yes"])
    connection = node.connect()
    refuse_writes(run, node, connection)
    run.sleep(run.pick(8, 30))
    run.expect(not [w for w in fleet.workers if not w.is_running()], "a worker ended")
    lines = sum(len(w.log.read_text().splitlines()) for w in fleet.workers)
    run.expect(lines < 50, f"{lines} lines logged while Redis refused writes")
    connection("CONFIG", "SET", "stop-writes-on-bgsave-error", "no")
    run.note(refused=run.ledger.refused)
    end(run, node, fleet, producer)


def refuse_writes(run, node, connection):
    """A folder that cannot be written to: BGSAVE fails, and writes with it."""
    gone = node.folder / "gone"
    gone.mkdir()
    connection("CONFIG", "SET", "dir", gone)
    gone.rmdir()
    connection("CONFIG", "SET", "save", "1 1")
    connection("CONFIG", "SET", "stop-writes-on-bgsave-error", "yes")
    connection("BGSAVE")
    run.wait(lambda: run.ledger.refused > 0, 20, "a refused RPUSH")


@scenario(quick=150, long=300, in_quick=False, name="disk-full")
def disk_full(run):
    """The disk of the AOF is full (a small tmpfs): writes wait, nothing acknowledged is lost."""
    place = run.folder / "small"
    place.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", place], capture_output=True)
    if mounted.returncode:
        raise Skipped("a small tmpfs needs root")
    run.start(Mount(place))
    node = run.redis(append="everysec", place=place, options=["--auto-aof-rewrite-percentage", 0])
    simulator = run.simulator("--latency", 15)
    fleet = Fleet(run, node, simulator)
    fleet.add(2)
    producer = run.producer(node, rate=3000)
    run.wait(lambda: run.ledger.refused > 0, 40, "a refused RPUSH")
    run.sleep(run.pick(5, 20))
    run.note(refused=run.ledger.refused)
    subprocess.run(["mount", "-o", "remount,size=200m", place], check=True)
    run.wait(lambda: b"ok" in node.call("INFO", "persistence").split(b"aof_last_write_status:")[1][:3], 20, "the AOF")
    end(run, node, fleet, producer)


class Mount:
    def __init__(self, place):
        self.place = place

    def stop(self):
        subprocess.run(["umount", "-l", self.place], check=True)


@scenario(quick=150, long=300, name="script-flush")
def script_flush(run):
    """SCRIPT FLUSH again and again: NOSCRIPT is answered by sending the script."""
    node, fleet, producer = stage(run)
    connection = node.connect()
    for _ in range(run.pick(30, 200)):
        connection("SCRIPT", "FLUSH")
        run.sleep(0.05, 0.4)
    end(run, node, fleet, producer)


@scenario(quick=150, long=300, name="client-kill")
def client_kill(run):
    """CLIENT KILL of everybody every second: nothing lost, nothing sent twice."""
    node, fleet, producer = stage(run)
    connection = node.connect()
    for _ in range(run.pick(12, 60)):
        connection("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
        run.sleep(0.7, 1.2)
    end(run, node, fleet, producer)


@scenario(quick=150, long=300, in_quick=False, name="acl")
def acl(run):
    """A user loses a command, gets it back, and has its password changed: workers wait and go on."""
    node, simulator = run.redis(append="always"), run.simulator("--latency", 15)
    connection = node.connect()
    rights = ["on", ">old", "~push:*", "~{push:*", "+@all", "-@dangerous", "+info"]
    connection("ACL", "SETUSER", "allim", *rights)
    url = f"redis://allim:old@127.0.0.1:{node.port}/0"
    fleet = Fleet(run, node, simulator, url=url)
    fleet.add(2)
    producer = run.producer(node, rate=300)
    run.wait(lambda: run.seen.refresh().requests > 50, 20, "the first pushes")
    for command in ("evalsha", "rpush", "hset", "hdel", "ltrim", "hincrby", "zrem"):
        connection("ACL", "SETUSER", "allim", f"-{command}")
        run.sleep(run.pick(2, 6))
        connection("ACL", "SETUSER", "allim", f"+{command}")
        run.sleep(2)
    # Password rotation: the new one beside the old, then the old one away; who is connected stays.
    connection("ACL", "SETUSER", "allim", ">new")
    fleet.url = f"redis://allim:new@127.0.0.1:{node.port}/0"
    fleet.add(1)
    connection("ACL", "SETUSER", "allim", "<old")
    connection("CLIENT", "KILL", "USER", "allim")
    run.sleep(5)
    run.expect(len(fleet.alive()) == 3, "a worker with the old password ended")
    run.allow_repeats(2 * fleet.capacity)  # those of the old password lose their leases
    producer.stop()
    connection("ACL", "SETUSER", "allim", ">old")
    finish(run, fleet, node)


@scenario(quick=150, long=300, in_quick=False, name="redis-waits")
def redis_waits(run):
    """CLIENT PAUSE, and a script that keeps everybody waiting (BUSY) until it is killed."""
    node, fleet, producer = stage(run)
    connection = node.connect(seconds=60)
    for seconds in run.pick((3, 7), (3, 7, 15)):
        connection("CLIENT", "PAUSE", seconds * 1000, "ALL")
        time.sleep(seconds)
        run.sleep(1, 3)
    connection("CONFIG", "SET", "busy-reply-threshold", 300)
    busy = node.connect(seconds=60)
    busy.socket.sendall(busy.encode("EVAL", "while true do end", 0))
    run.sleep(run.pick(4, 8))
    connection("SCRIPT", "KILL")
    run.sleep(1)
    run.allow_repeats(fleet.capacity * 2 if not run.quick else fleet.capacity)
    end(run, node, fleet, producer)


@scenario(quick=150, long=300, in_quick=False, name="log-full")
def log_full(run):
    """Workers whose log cannot be written to (a full disk): they send all the same."""
    node, simulator = run.redis(append="always"), run.simulator("--latency", 15)
    fleet = Fleet(run, node, simulator, settings={"ALLIM_LOG_LEVEL": "debug"})
    fleet.wrapping = ["sh", "-c", 'exec "$@" 2>/dev/full', "sh"]
    fleet.add(2)
    producer = run.producer(node, rate=500)
    run.sleep(run.pick(6, 60))
    producer.stop()
    finish(run, fleet, node)
