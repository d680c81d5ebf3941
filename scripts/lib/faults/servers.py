"""Redis servers: one alone, with replicas and sentinels, or a cluster. Each can be killed and started again."""

import time

from chain import ChainError, wait_until

from .processes import Child, free_port
from .resp import CLOSED, Client, Refused

APPENDS = {
    "always": ["--appendonly", "yes", "--appendfsync", "always"],
    "everysec": ["--appendonly", "yes", "--appendfsync", "everysec"],
    "none": [],
}


class RedisNode:
    """One redis-server with a folder and a port of its own, through any number of restarts."""

    def __init__(
        self, folder, name="redis", append="always", options=(), place=None, environment=None, wrapping=()
    ):
        """`wrapping` are words before the program."""
        self.wrapping = list(wrapping)
        self.name, self.append, self.options = name, append, list(options)
        self.environment = environment
        self.folder = (place or folder) / name
        self.folder.mkdir()
        self.port = free_port()
        self.child = None
        self.starts = 0
        self.start()

    def start(self, wait=True, options=()):
        self.starts += 1
        words = [*self.wrapping, "redis-server", "--bind", "127.0.0.1", "--port", self.port, "--save", ""]
        words += ["--dir", self.folder, "--logfile", self.folder / "redis.txt", *APPENDS[self.append]]
        # What a production server has; a test of a minute would never reach the default of 64 MB.
        words += ["--auto-aof-rewrite-min-size", "32mb", *self.options, *options]
        self.child = Child(f"{self.name}-{self.starts}", words, self.folder, self.environment)
        if wait:
            wait_until(self.answers, 60, f"{self.name} to answer")
        return self

    def answers(self):
        self.child.require_running()
        try:
            return self.call("PING") == "PONG"
        except (*CLOSED, Refused):
            return False

    def connect(self, queue=None, seconds=5):
        return Client(self.port, seconds)

    def call(self, *words):
        """One command over a connection of its own."""
        connection = self.connect()
        try:
            return connection(*words)
        finally:
            connection.close()

    def kill(self):
        self.child.kill()

    def is_running(self):
        return self.child.is_running()

    def stop(self):
        if self.child:
            self.child.stop()

    @property
    def address(self):
        return f"127.0.0.1:{self.port}"

    # A store of its own: where producers and workers go, and where items may lie.

    @property
    def url(self):
        return f"redis://{self.address}/0"

    def masters(self):
        return [self]

    def master_of(self, queue):
        return self


# A replica is in step at once, not five seconds after it has asked.
PROMPT = ["--repl-diskless-sync-delay", "0"]


def is_linked(role):
    """Whether a replica follows its master; a master has nobody to follow."""
    return role[0] == b"master" or role[3] == b"connected"


class SentinelSet:
    """A master, replicas and three sentinels that agree on a new master within seconds."""

    NAME = "chat"

    def __init__(self, run, replicas=2, options=()):
        options = [*PROMPT, *options]
        self.nodes = [run.redis(name="redis-a", options=options)]
        for letter in "bcdefg"[:replicas]:
            follow = ["--replicaof", f"127.0.0.1 {self.nodes[0].port}", *options]
            self.nodes.append(run.redis(name=f"redis-{letter}", options=follow))
        wait_until(self.all_linked, 30, "the replicas")
        self.sentinels = [Sentinel(run, number, self.nodes[0].port) for number in (1, 2, 3)]
        wait_until(self.sentinels_agree, 30, "the sentinels to know each other")

    def all_linked(self):
        return all(is_linked(node.call("ROLE")) for node in self.nodes[1:])

    def all_linked_to_master(self):
        master = self.master()
        followers = [node for node in self.nodes if node is not master]
        return all(
            node.call("ROLE")[2:4] == [master.port, b"connected"] for node in followers if node.is_running()
        )

    def sentinels_agree(self):
        for sentinel in self.sentinels:
            words = sentinel.node_call("SENTINEL", "MASTER", self.NAME)
            state = dict(zip(words[::2], words[1::2]))
            known = int(state[b"num-other-sentinels"]), int(state[b"num-slaves"])
            if known != (2, len(self.nodes) - 1):
                return False
        return True

    @property
    def url(self):
        return "sentinel://" + ",".join(s.address for s in self.sentinels) + f"/{self.NAME}/0"

    def master(self):
        """The node that the sentinels name."""
        for sentinel in self.sentinels:
            try:
                found = sentinel.node_call("SENTINEL", "GET-MASTER-ADDR-BY-NAME", self.NAME)
            except (*CLOSED, Refused):
                continue
            if found:
                return next(node for node in self.nodes if node.port == int(found[1]))
        raise EOFError("no sentinel answers")

    def connect(self, queue=None, seconds=5):
        connection = self.master().connect(seconds=seconds)
        if connection("ROLE")[0] != b"master":
            connection.close()
            raise EOFError("the master that the sentinels name is none")
        return connection

    def masters(self):
        return [self.master()]

    def master_of(self, queue):
        return self.master()


class Sentinel:
    def __init__(self, run, number, master_port):
        self.folder = run.folder / f"sentinel-{number}"
        self.folder.mkdir()
        self.port = free_port()
        self.file = self.folder / "sentinel.conf"
        name = SentinelSet.NAME
        self.file.write_text(f"""port {self.port}
bind 127.0.0.1
dir {self.folder}
logfile {self.folder}/sentinel.txt
sentinel monitor {name} 127.0.0.1 {master_port} 2
sentinel down-after-milliseconds {name} 1500
sentinel failover-timeout {name} 6000
sentinel parallel-syncs {name} 2
""")
        self.starts = 0
        self.child = None
        self.start()
        run.start(self)

    def start(self):
        self.starts += 1
        words = ["redis-server", self.file, "--sentinel"]
        self.child = Child(f"sentinel-{self.starts}", words, self.folder)
        wait_until(self.answers, 20, "a sentinel to answer")

    def answers(self):
        self.child.require_running()
        try:
            return self.node_call("PING") == "PONG"
        except (*CLOSED, Refused):
            return False

    def node_call(self, *words):
        connection = Client(self.port, 2)
        try:
            return connection(*words)
        finally:
            connection.close()

    def kill(self):
        self.child.kill()

    def stop(self):
        self.child.stop()

    @property
    def address(self):
        return f"127.0.0.1:{self.port}"


class ClusterSet:
    """Three masters with a replica each."""

    def __init__(self, run, masters=3):
        self.count = masters
        self.nodes = []
        for number in range(masters * 2):
            options = [*PROMPT, "--cluster-enabled", "yes", "--cluster-config-file", "nodes.conf"]
            options += ["--cluster-port", free_port(), "--cluster-node-timeout", 2000]
            self.nodes.append(run.redis(name=f"node-{number}", options=options))
        self.ids = {}
        self.build()

    def build(self):
        first = self.nodes[0]
        for node in self.nodes[1:]:
            bus = node.options[node.options.index("--cluster-port") + 1]
            first.call("CLUSTER", "MEET", "127.0.0.1", node.port, bus)
        edges = [16384 * k // self.count for k in range(self.count + 1)]
        for k, node in enumerate(self.nodes[: self.count]):
            node.call("CLUSTER", "ADDSLOTSRANGE", edges[k], edges[k + 1] - 1)
        self.ids = {node.call("CLUSTER", "MYID").decode(): node for node in self.nodes}
        wait_until(self.all_known, 30, "the nodes to know each other")
        names = {node: name for name, node in self.ids.items()}
        for k, node in enumerate(self.nodes[self.count :]):
            node.call("CLUSTER", "REPLICATE", names[self.nodes[k]])
        wait_until(self.is_whole, 60, "the cluster")

    def all_known(self):
        return all(node.call("CLUSTER", "NODES").count(b"\n") == len(self.nodes) for node in self.nodes)

    def is_whole(self):
        try:
            return all(
                b"cluster_state:ok" in node.call("CLUSTER", "INFO")
                and node.call("CLUSTER", "NODES").count(b"slave") >= self.count
                and is_linked(node.call("ROLE"))
                for node in self.nodes
                if node.is_running()
            )
        except (*CLOSED, Refused):
            return False

    @property
    def url(self):
        return "cluster://" + ",".join(node.address for node in self.nodes[: self.count])

    def slots(self):
        """(first slot, last slot, node) as a running node sees it."""
        for node in self.nodes:
            if not node.is_running():
                continue
            try:
                ranges = node.call("CLUSTER", "SLOTS")
            except (*CLOSED, Refused):
                continue
            by_port = {n.port: n for n in self.nodes}
            return [(r[0], r[1], by_port[r[2][1]]) for r in ranges]
        raise EOFError("no node of the cluster answers")

    def slot_of(self, queue):
        return next(node for node in self.nodes if node.is_running()).call("CLUSTER", "KEYSLOT", queue)

    def master_of(self, queue):
        slot = self.slot_of(queue)
        for first, last, node in self.slots():
            if first <= slot <= last:
                return node
        raise EOFError("nobody has the slot")

    def replica_of(self, master):
        name = next(name for name, node in self.ids.items() if node is master)
        for line in master.call("CLUSTER", "NODES").decode().splitlines():
            words = line.split()
            if words[3] == name:
                return self.ids[words[0]]
        raise EOFError("it has no replica")

    def connect(self, queue=None, seconds=5):
        return self.master_of(queue).connect(seconds=seconds)

    def masters(self):
        return list({id(node): node for _, _, node in self.slots()}.values())

    def move_slot(self, queue, target, pause=0.0):
        """Moves the queue's slot key by key, as redis-cli does, while everything goes on."""
        slot, source = self.slot_of(queue), self.master_of(queue)
        names = {node: name for name, node in self.ids.items()}
        target.call("CLUSTER", "SETSLOT", slot, "IMPORTING", names[source])
        source.call("CLUSTER", "SETSLOT", slot, "MIGRATING", names[target])
        deadline = time.monotonic() + 60
        while keys := source.call("CLUSTER", "GETKEYSINSLOT", slot, 10):
            if time.monotonic() > deadline:
                raise ChainError("the slot's keys do not end")
            for key in keys:
                source.call("MIGRATE", "127.0.0.1", target.port, "", 0, 5000, "KEYS", key)
                time.sleep(pause)
        for node in (target, source, *self.masters()):
            node.call("CLUSTER", "SETSLOT", slot, "NODE", names[target])
