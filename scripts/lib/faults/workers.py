"""Workers: processes of the release build, and when the items of a killed one are back."""

import re
import signal
import subprocess
import threading
import time

from chain import PRODUCTS

from .audit import prefix_of
from .ledger import QUEUE
from .processes import Child, free_port
from .resp import CLOSED, Refused

class WorkerProcess(Child):
    def __init__(self, fleet, number, url, settings):
        self.number = number
        self.admin = f"127.0.0.1:{free_port()}"
        self.instances = set()
        environment = {"ALLIM_REDIS_URL": url, "ALLIM_ADMIN_LISTEN": self.admin, **settings}
        words = [*fleet.wrapping, fleet.program, "run", "--config", fleet.config]
        super().__init__(f"worker-{number}", words, fleet.folder, environment)
        self.peak = 0  # KB, known once it has been asked to end


class Fleet:
    """Workers on one Redis; each kill is followed until the items of the killed one are back."""

    def __init__(
        self, run, store, simulator, lanes=64, queues=None, names=(QUEUE,), url=None, settings=None,
        apps=("chat",),
    ):  # fmt: skip
        """`queues` are entries of the configuration's list, `names` what they are called."""
        self.program, self.wrapping = PRODUCTS / "allim", []
        self.run, self.store, self.lanes, self.names = run, store, lanes, names
        self.folder = simulator.record.parent
        self.url = url or store.url
        self.config = self.folder / "worker.yaml"
        self.config.write_text(configuration(simulator, queues, apps))
        self.settings = {"ALLIM_WORKERS": str(lanes), "ALLIM_LOG_LEVEL": "warning", **(settings or {})}
        self.workers = []
        self.ended = []  # in order, of those that were asked to end
        self.started = 0
        self.watch = run.start(Watch(self))

    @property
    def capacity(self):
        """Items that a worker may hold: on the wire, waiting for a lane, or answered and not yet
        written. A kill may repeat so many one-device events, and no more."""
        return self.lanes + min(max(self.lanes, 8), 256)

    def add(self, count=1, url=None, **settings):
        for _ in range(count):
            self.started += 1
            words = {**self.settings, **settings}
            worker = WorkerProcess(self, self.started, url or self.url, words)
            self.run.start(worker)
            self.workers.append(worker)
        return self.workers[-1]

    def alive(self):
        return [worker for worker in self.workers if worker.is_running()]

    def kill(self, worker):
        """SIGKILL, counted; what it may repeat is allowed for."""
        worker.kill()
        self.workers.remove(worker)
        self.run.worker_kills += 1
        self.run.allow_repeats(self.capacity)
        self.watch.follow(worker)

    def end(self, worker, signals=(signal.SIGTERM,), gap=0.2, seconds=40):
        """Signals one after the other, then waits; the exit status, or None when it stayed."""
        worker.peak = worker.memory_kb("VmHWM")
        self.ended.append(worker)
        for number in signals:
            worker.signal(number)
            time.sleep(gap)
        try:
            worker.child.wait(seconds)
        except subprocess.TimeoutExpired:
            return None
        self.workers.remove(worker)
        return worker.child.returncode

    def require_running(self):
        for worker in self.workers:
            worker.require_running()


class Watch:
    """Learns which instance is which process, and sees when the hash of a dead one is gone."""

    def __init__(self, fleet):
        self.fleet = fleet
        self.queue = fleet.names[0]
        self.prefix = prefix_of(self.queue)
        self.instances = {}  # admin address → instances
        self.waiting = []  # (instance, moment of the kill)
        self.recoveries = []
        self.lock = threading.Lock()
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.loop, daemon=True)
        self.thread.start()

    def follow(self, worker):
        with self.lock:
            now = time.monotonic()
            self.waiting += [(name, now) for name in self.instances.get(worker.admin, ())]

    def loop(self):
        connection = None
        while not self.ended.wait(0.1):
            try:
                connection = connection or self.fleet.store.connect(self.queue)
                self.look(connection)
            except (*CLOSED, Refused):
                if connection:
                    connection.close()
                connection = None
        if connection:
            connection.close()

    def look(self, connection):
        entries = connection("HGETALL", self.prefix + ":instances")
        for name, text in zip(entries[::2], entries[1::2]):
            if found := re.search(rb"admin=(?:http://)?(\S+)", text):
                with self.lock:
                    self.instances.setdefault(found[1].decode(), set()).add(name.decode())
        for entry in list(self.waiting):
            if not connection("EXISTS", f"{self.prefix}:inflight:{entry[0]}"):
                with self.lock:
                    self.waiting.remove(entry)
                    self.recoveries.append(time.monotonic() - entry[1])

    def stop(self):
        self.ended.set()
        self.thread.join(10)


def configuration(simulator, queues=None, apps=("chat",)):
    ready = simulator.ready
    listed = "".join(f"  - {q}\n" for q in queues) if queues else ""
    return f"""
{"queues:" if listed else ""}
{listed}
apps:
{"".join(map(entry_of, apps))}
endpoints:
  apnsProduction: "localhost:{ready['apnsPort']}"
  apnsSandbox: "localhost:{ready['sandboxPort']}"
  fcm: "localhost:{ready['fcmPort']}"
  oauth: "https://localhost:{ready['fcmPort']}/token"
  caFile: ca.pem
"""


def entry_of(app):
    return f"""
  {app}:
    apns:
      topic: com.example.{app}
      production: {{keyFile: AuthKey_SIMKEY0001.p8, keyId: SIMKEY0001, teamId: SIMTEAM001}}
      connections: {{min: 1, max: 4, requestsPerSecond: 0}}
    fcm:
      serviceAccountFile: service-account.json
      connections: {{min: 1, max: 4, requestsPerSecond: 0}}
"""
