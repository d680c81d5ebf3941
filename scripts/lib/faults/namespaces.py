"""Redis on a network of its own (a network namespace of Linux): the kernel's TCP meets a dead wire."""

import os
import subprocess

from chain import wait_until

from .crashes import finish
from .processes import Child
from .resp import Client
from .scenario import Skipped, scenario
from .servers import RedisNode
from .workers import Fleet


class Network:
    """A namespace behind one wire, which can be cut, made deaf one way, or slow."""

    def __init__(self):
        self.name = f"allim-{os.getpid()}"
        self.outside, self.inside = f"al{os.getpid()}a", f"al{os.getpid()}b"
        block = f"10.203.{os.getpid() % 250}"
        self.here, self.there = f"{block}.1", f"{block}.2"
        try:
            self.ip("netns", "add", self.name)
            self.ip("link", "add", self.outside, "type", "veth", "peer", "name", self.inside, "netns", self.name)
            self.ip("addr", "add", f"{self.here}/24", "dev", self.outside)
            self.ip("link", "set", self.outside, "up")
            self.within("ip", "addr", "add", f"{self.there}/24", "dev", self.inside)
            self.within("ip", "link", "set", self.inside, "up")
            self.within("ip", "link", "set", "lo", "up")
        except (OSError, subprocess.CalledProcessError) as error:
            self.stop()
            raise Skipped(f"a network namespace needs root and iproute2: {error}") from None

    @staticmethod
    def ip(*words):
        subprocess.run(["ip", *words], check=True, capture_output=True)

    def within(self, *words):
        subprocess.run(["ip", "netns", "exec", self.name, *words], check=True, capture_output=True)

    def cut(self, is_cut):
        """Nothing passes, and nobody is told."""
        self.within("ip", "link", "set", self.inside, "down" if is_cut else "up")

    def silence(self, is_silent):
        """What Redis answers is lost on its way; what is asked arrives."""
        self.within("ip", "route", "add" if is_silent else "del", "blackhole", f"{self.here}/32")

    def narrow(self, is_narrow):
        """10 KB a second, and what does not fit in a short line is dropped."""
        shape = ["root", "tbf", "rate", "80kbit", "burst", "3kb", "limit", "6kb"]
        self.within("tc", "qdisc", "add" if is_narrow else "del", "dev", self.inside, *(shape if is_narrow else ["root"]))

    def stop(self):
        subprocess.run(["ip", "netns", "del", self.name], capture_output=True)


class FarRedis(RedisNode):
    """A server in the namespace; the test itself reaches it by a unix socket."""

    def __init__(self, run, network):
        self.network = network
        super().__init__(run.folder, append="always")

    def start(self):
        self.socket = self.folder / "socket"
        words = ["ip", "netns", "exec", self.network.name, "redis-server", "--bind", self.network.there]
        words += ["--port", self.port, "--unixsocket", self.socket, "--protected-mode", "no", "--save", ""]
        words += ["--dir", self.folder, "--appendonly", "yes", "--appendfsync", "always"]
        self.child = Child("far-redis", words, self.folder)
        wait_until(self.answers, 30, "redis in its namespace")
        return self

    def connect(self, queue=None, seconds=5):
        return Client(self.port, seconds, path=self.socket)

    @property
    def address(self):
        return f"{self.network.there}:{self.port}"


@scenario(quick=150, long=400)
def netns(run):
    """The wire to Redis cut for 6 and 20 s (long form: 10 and 60), answers lost one way, 10 KB a second with losses."""
    network = run.start(Network())
    node = run.start(FarRedis(run, network))
    simulator = run.simulator("--latency", 20)
    fleet = Fleet(run, node, simulator)
    fleet.add(2)
    producer = run.producer(node, rate=200)
    run.wait(lambda: run.seen.refresh().requests > 50, 20, "the first pushes")
    for seconds in run.pick((6, 20), (10, 60)):
        network.cut(True)
        run.sleep(seconds)
        network.cut(False)
        back_to_work(run)
        if seconds > 8:
            run.allow_repeats(2 * fleet.capacity)  # all leases were over
    for change, seconds in ((network.silence, run.pick(5, 30)), (network.narrow, run.pick(5, 30))):
        change(True)
        run.sleep(seconds)
        change(False)
        run.allow_repeats(2 * fleet.capacity)
        back_to_work(run)
    producer.stop()
    finish(run, fleet, node)


def back_to_work(run):
    """TCP tries again after pauses that grow; the worker does not wait for them longer than this."""
    before = len(run.seen.refresh().accepted)
    run.wait(lambda: len(run.seen.refresh().accepted) > before + 100, 40, "pushes after the wire was mended")
