"""The processes that the main job and the benchmarks start: Redis, the simulator, the worker."""

import json
import os
import pathlib
import select
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request

PROJECT = pathlib.Path(__file__).resolve().parents[2]
PRODUCTS = PROJECT / ".build" / "release"


class ChainError(Exception):
    """Something did not start, answer or end as it should; the text says what and where to look."""


def wait_until(condition, seconds, what):
    """Polls until `condition()` is true and returns its value."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > deadline:
            raise ChainError(f"waited {seconds} s in vain for {what}")
        time.sleep(0.02)
    return value


class Process:
    """A child that ends with us, even when we are killed; its output goes to a file."""

    def __init__(self, name, arguments, folder, environment=None):
        self.name = name
        self.log = pathlib.Path(folder) / f"{name}.log"
        with open(self.log, "ab") as log:
            self.child = subprocess.Popen(
                ["setpriv", "--pdeathsig", "TERM", *map(str, arguments)],
                cwd=folder,
                env={**os.environ, **(environment or {})},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
            )

    @property
    def pid(self):
        return self.child.pid

    def require_running(self):
        if (status := self.child.poll()) is not None:
            raise ChainError(f"{self.name} ended with status {status}\n{self.log_tail()}")

    def log_tail(self, lines=15):
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])

    def first_line(self, seconds):
        """The first line on stdout, as the sign of being ready."""
        ready, _, _ = select.select([self.child.stdout], [], [], seconds)
        line = self.child.stdout.readline() if ready else b""
        if not line:
            self.require_running()
            raise ChainError(f"{self.name} said nothing within {seconds} s\n{self.log_tail()}")
        return line.decode()

    def stop(self, seconds=30):
        """TERM, then KILL; gives the exit status."""
        if self.child.poll() is None:
            self.child.send_signal(signal.SIGTERM)
            try:
                self.child.wait(seconds)
            except subprocess.TimeoutExpired:
                self.child.kill()
                self.child.wait()
        return self.child.returncode

    def cpu_seconds(self):
        """User and system time of all its threads so far, those that have ended included."""
        clock = ~self.pid << 3 | 2  # what clock_getcpuclockid(3) makes of a process id: to the nanosecond
        return time.clock_gettime(clock)

    def memory_kb(self, field):
        """`VmHWM` is the peak, `VmRSS` what is resident now."""
        for line in pathlib.Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith(field + ":"):
                return int(line.split()[1])
        return 0

    def reset_peak_memory(self):
        pathlib.Path(f"/proc/{self.pid}/clear_refs").write_text("5")


class Redis:
    """Just enough of the protocol: commands in a pipeline, replies as Python values."""

    def __init__(self, path=None, port=None):
        if path:
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.connect(str(path))
        else:
            self.socket = socket.create_connection(("127.0.0.1", port))
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.replies = self.socket.makefile("rb")

    @staticmethod
    def encode(*words):
        parts = [b"*%d\r\n" % len(words)]
        for word in words:
            word = word if isinstance(word, bytes) else str(word).encode()
            parts.append(b"$%d\r\n%b\r\n" % (len(word), word))
        return b"".join(parts)

    def __call__(self, *words):
        self.socket.sendall(self.encode(*words))
        return self.reply()

    def reply(self):
        line = self.replies.readline()
        if not line:
            raise ChainError("Redis closed the connection")
        kind, rest = line[:1], line[1:-2]
        if kind == b"+":
            return rest.decode()
        if kind == b"-":
            raise ChainError(f"Redis: {rest.decode()}")
        if kind == b":":
            return int(rest)
        if int(rest) < 0:
            return None
        if kind == b"$":
            return self.replies.read(int(rest) + 2)[:-2]
        return [self.reply() for _ in range(int(rest))]

    def info(self, section):
        lines = self("INFO", section).decode().splitlines()
        return dict(line.split(":", 1) for line in lines if ":" in line)

    def scan(self, pattern):
        found, cursor = [], b"0"
        while True:
            cursor, keys = self("SCAN", cursor, "MATCH", pattern, "COUNT", 1000)
            found += keys
            if cursor == b"0":
                return found


class RedisServer(Process):
    """A private Redis on a loopback port of its own, without persistence."""

    def __init__(self, folder):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"redis://127.0.0.1:{self.port}/0"
        options = ["--bind", "127.0.0.1", "--port", self.port, "--save", "", "--dir", folder]
        super().__init__("redis", ["redis-server", *options], folder)
        wait_until(self._answers, 10, "redis-server")

    def _answers(self):
        self.require_running()
        try:
            return Redis(port=self.port)("PING") == "PONG"
        except OSError:
            return False

    def connect(self):
        return Redis(port=self.port)


class Simulator(Process):
    """allim-sim on ports of its own; `folder` then holds its keys and a configuration for the worker."""

    def __init__(self, folder, *options):
        ports = ["--apns-port", 0, "--sandbox-port", 0, "--fcm-port", 0, "--control-port", 0]
        super().__init__(
            "simulator", [PRODUCTS / "allim-sim", "--dir", folder, *ports, *options], folder
        )
        self.ready = json.loads(self.first_line(30))
        self.control = f"http://127.0.0.1:{self.ready['controlPort']}"

    def get_bytes(self, path):
        with urllib.request.urlopen(self.control + path, timeout=30) as answer:
            return answer.read()

    def get(self, path):
        return json.loads(self.get_bytes(path))

    def call(self, method, path, value=None):
        body = None if value is None else json.dumps(value).encode()
        request = urllib.request.Request(self.control + path, data=body, method=method)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.read()


class Worker(Process):
    """`allim run` in a folder of its own."""

    def __init__(self, folder, *options, environment=None):
        # Settings of the caller's shell must not reach the worker.
        for name in [name for name in os.environ if name.startswith("ALLIM_")]:
            del os.environ[name]
        super().__init__("worker", [PRODUCTS / "allim", "run", *options], folder, environment)
        self.folder = folder

    def verb(self, *words):
        """Another verb of the same binary, in the worker's folder; its JSON answer."""
        done = subprocess.run(
            [PRODUCTS / "allim", *map(str, words), "--json"],
            cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30,
        )  # fmt: skip
        return json.loads(done.stdout) if done.returncode == 0 and done.stdout.strip() else None


def end_in_order_on_signals():
    """Ctrl-C and TERM both unwind, so that what was started is stopped and folders are removed."""

    def unwind(number, frame):
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, unwind)
    signal.signal(signal.SIGTERM, unwind)


def answers(url):
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return answer.status == 200
    except (urllib.error.URLError, OSError):
        return False


def require_programs(*names):
    for name in names:
        if not shutil.which(name):
            raise ChainError(f"{name} is not on PATH")
