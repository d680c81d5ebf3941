"""Children that are started, killed and started again, each on a port that stays its own."""

import random
import signal
import socket

from chain import Process, Simulator

# Below the kernel's own range (32768 and up), so that no outgoing connection sits on a port that a
# server wants back after its restart.
PORTS = range(20_000, 30_000)
_given = set()


def free_port():
    """A port that nobody listens on. Not of the seed: it must differ between runs side by side."""
    while True:
        port = random.SystemRandom().choice(PORTS)
        if port in _given:
            continue
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        _given.add(port)
        return port


class Child(Process):
    """A process that may be killed, stopped and continued."""

    def is_running(self):
        return self.child.poll() is None

    def signal(self, number):
        if self.is_running():
            self.child.send_signal(number)

    def kill(self):
        """SIGKILL; returns when it is gone."""
        if self.is_running():
            self.child.kill()
        self.child.wait()
        self.child.stdout.close()

    def pause(self):
        self.signal(signal.SIGSTOP)

    def resume(self):
        self.signal(signal.SIGCONT)

    def stop(self, seconds=30):
        self.resume()  # a stopped process does not hear TERM
        status = super().stop(seconds)
        self.child.stdout.close()
        return status


class RecordingSimulator(Simulator):
    """allim-sim that writes every request to a file and keeps none in memory."""

    def __init__(self, folder, *options):
        self.record = folder / "record.jsonl"
        super().__init__(folder, "--record", self.record, "--keep", 1, *options)

    def set_rules(self, *rules):
        self.call("POST", "/rules", list(rules))
