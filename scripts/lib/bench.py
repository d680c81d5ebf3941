"""Benchmarks: each part starts fresh processes, and all parts share one simulator's keys and one request."""

import argparse
import functools
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

import bench_load as load
import bench_servers as servers
import record
from faults import ledger
from faults.seen import Seen
from chain import (
    PROJECT, ChainError, RedisServer, Simulator, Worker, answers, end_in_order_on_signals, wait_until,
)  # fmt: skip

# These are compared with one another. A virtual machine's neighbours take up to half of its speed, for seconds
# at a time: so they take turns, and of each the median counts.
COMPARED = ["h2load", "peers", "unlimited"]
PARTS = [*COMPARED, "limited", "latency", "backlog", "fanout", "idle", "slow", "servers", "micro"]
CLIENTS = PROJECT / "scripts" / "bench-clients"
VENV = PROJECT / ".build" / "bench-venv" / "bin"
CONNECTIONS, STREAMS = 8, 100  # of every client that sends without a limit, ours included
DEFAULT_WORKERS = 256  # what `workers` is when nobody sets it
TOPIC = "com.example.chat"


class Sample:
    """The request that the worker makes of the sample event; all other clients send the same."""

    def __init__(self, request, body, folder):
        self.body = body
        self.body_file = pathlib.Path(folder) / "body.json"
        self.body_file.write_bytes(self.body)
        self.event_bytes = len(load.event())
        self.token = request.token
        self.headers = {name: value for name, value in request.headers.items() if name[0] != ":"}
        self.authorization = request.headers["authorization"]

    def url(self, port):
        return f"https://localhost:{port}/3/device/{self.token}"


class Bench:
    def __init__(self, folder, quick):
        self.folder = pathlib.Path(folder)
        self.quick = quick
        self.running = []
        self.sample = None

    # Processes

    def start(self, process):
        self.running.insert(0, process)
        return process

    def stop_all(self):
        while self.running:
            self.running.pop(0).stop()

    def simulator(self, *options):
        return self.start(Simulator(self.folder, *options))

    def redis(self):
        server = self.start(RedisServer(self.folder))
        return server, server.connect()

    def worker(self, simulator, redis_server, workers, connections, rate, port=None):
        """`port`: of a server in the place of the simulator's APNs."""
        config = self.folder / "bench.yaml"
        ready, host = simulator.ready, "localhost"
        config.write_text(f"""
redis: {{url: "redis://127.0.0.1:{redis_server.port}/0"}}
workers: {workers}
apps:
  chat:
    apns:
      topic: {TOPIC}
      production: {{keyFile: AuthKey_SIMKEY0001.p8, keyId: SIMKEY0001, teamId: SIMTEAM001}}
      connections: {{min: {connections}, max: {connections}, requestsPerSecond: {rate}}}
log: {{level: warning, format: json}}
endpoints: {{apnsProduction: "{host}:{port or ready['apnsPort']}", apnsSandbox: "{host}:{ready['sandboxPort']}", caFile: {self.ca_file()}}}
""")
        worker = self.start(Worker(self.folder, "--config", config))
        admin = wait_until(lambda: self.admin(worker), 30, "the worker's admin address")
        wait_until(lambda: answers(admin + "/readyz"), 30, "the worker to be ready")
        worker.admin = admin
        return worker

    def admin(self, worker):
        worker.require_running()
        listed = worker.verb("workers", "--config", self.folder / "bench.yaml") or {}
        for instance in listed.get("workers", []):
            if address := instance.get("admin"):
                return address if address.startswith("http") else f"http://{address}"
        return None

    def ca_file(self):
        return self.folder / "ca.pem"

    # Parts

    def take_sample(self):
        """One event through the worker into a simulator that keeps what it gets."""
        simulator = self.simulator()
        server, redis = self.redis()
        worker = self.worker(simulator, server, workers=8, connections=1, rate=100)
        redis("RPUSH", load.QUEUE, load.event())
        request = wait_until(lambda: record.requests(simulator), 20, "the sample push")[0]
        self.sample = Sample(request, record.first_body(simulator), self.folder)
        self.stop_all()

    def h2load_run(self, port, requests, connections, rate=None):
        limit = [f"--rps={rate}"] if rate else []
        sample = self.sample
        headers = [f"{name}: {value}" for name, value in sample.headers.items()]
        arguments = ["h2load", "-t1", f"-c{connections}", f"-m{STREAMS}", f"-n{requests}", f"-d{sample.body_file}", *limit]
        for header in headers:
            arguments += ["-H", header]
        output, cpu, _ = run_measured([*arguments, sample.url(port)], self.folder)
        accepted = int(re.search(r"status codes: (\d+) 2xx", output)[1])
        if accepted != requests:
            raise ChainError(f"h2load: {accepted} of {requests} accepted")
        return {
            "cpuUsPerRequest": round(cpu / requests * 1e6, 1),
            "perSecond": round(float(re.search(r"([\d.]+) req/s", output)[1])),
        }

    def compared(self, parts):
        """Those of `COMPARED` that are among the parts, measured in turns."""
        measured = {part: [] for part in COMPARED if part in parts}
        for turn in range(1, self.size(3, 5) + 1):
            for part, rows in measured.items():
                say(f"measuring {part}, turn {turn}")
                rows.append(getattr(self, part)())
                self.stop_all()
        return {part: median(rows) for part, rows in measured.items()}

    def h2load(self):
        simulator = self.simulator("--count-only")
        return self.h2load_run(simulator.ready["apnsPort"], self.size(100_000, 200_000), CONNECTIONS)

    def peers(self):
        return list(self.measured_peers())

    def measured_peers(self):
        for name, command, share in peer_commands():
            simulator = self.simulator("--count-only")
            requests = self.size(20_000, 50_000) // share
            environment = {
                "URL": self.sample.url(simulator.ready["apnsPort"]), "CA_FILE": self.ca_file(),
                "AUTHORIZATION": self.sample.authorization, "TOPIC": TOPIC, "BODY_FILE": self.sample.body_file,
                "CONNECTIONS": CONNECTIONS, "STREAMS": STREAMS, "REQUESTS": requests,
                "KEY_FILE": self.folder / "AuthKey_SIMKEY0001.p8", "KEY_ID": "SIMKEY0001", "TEAM_ID": "SIMTEAM001",
            }  # fmt: skip
            output, cpu, _ = run_measured(command, self.folder, environment)
            said = json.loads(output.splitlines()[-1])
            yield {
                "client": name,
                "cpuUsPerRequest": round(cpu / requests * 1e6, 1),
                "perSecond": round(requests / said["seconds"]),
                "failed": requests - said["accepted"],
            }
            self.stop_all()

    def unlimited(self):
        count = self.size(50_000, 200_000)
        simulator = self.simulator("--count-only")
        server, redis = self.redis()
        worker = self.worker(simulator, server, workers=CONNECTIONS * STREAMS, connections=CONNECTIONS, rate=0)
        load.fill(server, count)
        worker.reset_peak_memory()
        before = load.requests_served(redis), server.cpu_seconds(), worker.cpu_seconds()
        load.release(redis)
        seconds = load.drain(redis, worker, count, seconds=120)
        after = load.requests_served(redis), server.cpu_seconds(), worker.cpu_seconds()
        round_trips, redis_cpu, cpu = (b - a for a, b in zip(before, after))
        return {
            "pushesPerSecond": round(count / seconds),
            "cpuUsPerPush": round(cpu / count * 1e6, 1),
            "redisRoundTripsPerPush": round(round_trips / count, 4),
            "redisCpuUsPerPush": round(redis_cpu / count * 1e6, 1),
            "peakKB": worker.memory_kb("VmHWM"),
        }

    def limited(self):
        connections, rate = 100, 100
        seconds = self.size(10, 60)
        simulator = self.simulator("--count-only")
        beside = self.h2load_run(simulator.ready["apnsPort"], connections * rate * seconds, connections, rate)
        self.stop_all()

        simulator = self.simulator("--count-only")
        server, redis = self.redis()
        worker = self.worker(simulator, server, workers=DEFAULT_WORKERS, connections=connections, rate=rate)
        count = connections * rate * (seconds + 3)
        load.fill(server, count)
        load.release(redis)
        time.sleep(2)  # the burst of idle connections is over, and all of them are open
        before = simulator.get("/stats")["requests"], worker.cpu_seconds(), time.monotonic()
        time.sleep(seconds - 1)
        after = simulator.get("/stats")["requests"], worker.cpu_seconds(), time.monotonic()
        pushes, cpu, elapsed = (b - a for a, b in zip(before, after))
        backlog_left = redis("LLEN", load.QUEUE)
        sender_max = metric(worker, "allim_connection_starts_max")
        load.drain(redis, worker, count, seconds=60)
        receivers = simulator.get("/connections")
        per_push = cpu / pushes * 1e6
        if not backlog_left:
            raise ChainError("the backlog ran out while it was measured")
        return {
            "connections": connections,
            "cpuUsPerPush": round(per_push, 1),
            "h2loadCpuUsPerRequest": beside["cpuUsPerRequest"],
            "ratio": round(per_push / beside["cpuUsPerRequest"], 2),
            "utilisation": round(pushes / (elapsed * connections * rate), 3),
            "senderMaxInAnySecond": sender_max,
            **receiver_windows(receivers),
            "simulatorLongestStallMs": simulator.get("/stats")["longestStallMs"],
        }

    def latency(self):
        samples = self.size(200, 1000)
        simulator = self.simulator("--keep", samples + 10)
        server, redis = self.redis()
        self.worker(simulator, server, workers=64, connections=2, rate=100)
        redis("RPUSH", load.QUEUE, load.event(1_000_000))  # opens the connection
        wait_until(lambda: record.requests(simulator), 20, "the first push")
        said = json.loads(load.allim_bench("latency", "--redis", server.url, "--list", load.QUEUE, "--samples", samples))
        pushed = {push["token"]: push["micros"] for push in said["pushes"]}
        received = wait_until(
            lambda: len(r := record.requests(simulator)) > samples and r, 20, "the last push"
        )
        delays = sorted((r.micros - pushed[r.token]) / 1e3 for r in received if r.token in pushed)
        pings = [push["pingNanoseconds"] / 1e6 for push in said["pushes"]]
        return {
            "samples": len(delays),
            "p50Ms": round(statistics.median(delays), 2),
            "p99Ms": round(delays[int(len(delays) * 0.99) - 1], 2),
            "redisPingP50Ms": round(statistics.median(pings), 3),
        }

    def backlog(self):
        count = self.size(50_000, 1_000_000)
        simulator = self.simulator("--count-only")
        server, redis = self.redis()
        worker = self.worker(simulator, server, workers=CONNECTIONS * STREAMS, connections=CONNECTIONS, rate=0)
        load.fill(server, count)
        load.release(redis)
        cost = load.cost_over_a_backlog(redis, worker, count, seconds=300)
        answered = simulator.get("/stats")["requests"]
        if answered != count:
            raise ChainError(f"{answered} pushes of {count} events")
        return {"events": count, **cost}

    def fanout(self):
        devices = self.size(10_000, 100_000)
        seen = Seen(self.folder / "fanout.jsonl")
        simulator = self.simulator("--record", seen.path, "--keep", 1)
        server, redis = self.redis()
        worker = self.worker(simulator, server, workers=CONNECTIONS * STREAMS, connections=CONNECTIONS, rate=0)
        worker.reset_peak_memory()
        redis("RPUSH", load.QUEUE, ledger.event(0, devices, fcm=False))
        seconds = load.drain(redis, worker, 1, seconds=120)
        wait_until(lambda: seen.refresh().requests >= devices, 10, "the record of all devices")
        return {
            "devices": devices,
            "seconds": round(seconds, 2),
            "repeats": seen.repeats(),
            "lost": devices - len(seen.accepted),
            "peakKB": worker.memory_kb("VmHWM"),
        }

    def idle(self):
        seconds = self.size(20, 60)
        simulator = self.simulator("--count-only")
        server, redis = self.redis()
        worker = self.worker(simulator, server, workers=DEFAULT_WORKERS, connections=1, rate=100)
        redis("RPUSH", load.QUEUE, load.event())
        load.drain(redis, worker, 1, seconds=20)
        time.sleep(2)
        before = load.requests_served(redis), worker.cpu_seconds()
        time.sleep(seconds)
        after = load.requests_served(redis), worker.cpu_seconds()
        requests, cpu = (b - a for a, b in zip(before, after))
        return {
            "cpuPercent": round(cpu / seconds * 100, 2),
            "requestsPerSecondPerQueue": round(requests / seconds, 2),
            "residentKB": worker.memory_kb("VmRSS"),
        }

    def slow(self):
        """200 connections, 1,000 lanes, and a provider that takes a second for each answer."""
        count, connections, lanes = self.size(5_000, 20_000), 200, 1_000
        streams = lanes // connections
        simulator = self.simulator("--count-only", "--latency", 1000, "--max-streams", streams)
        server, redis = self.redis()
        worker = self.worker(simulator, server, workers=lanes, connections=connections, rate=0)
        load.fill(server, count)
        worker.reset_peak_memory()
        load.release(redis)
        seconds = load.drain(redis, worker, count, seconds=120)
        used = [c for c in simulator.get("/connections")["connections"] if c["requests"]]
        return {
            "connections": len(used),
            "lanes": lanes,
            "perSecond": round(count / seconds),
            "peakKB": worker.memory_kb("VmHWM"),
        }

    def servers(self):
        return list(self.measured_servers())

    def measured_servers(self):
        """The worker before servers that are not ours; every push must be accounted for."""
        count = 20_000
        for name, start in servers.installed():
            simulator = self.simulator("--count-only")
            peer = self.start(start(self.folder, simulator, count))
            server, redis = self.redis()
            worker = self.worker(
                simulator, server, workers=CONNECTIONS * STREAMS, connections=CONNECTIONS, rate=0, port=peer.port
            )
            load.fill(server, count)
            load.release(redis)
            seconds = load.drain(redis, worker, count, seconds=300)
            servers.account(name, outcomes(worker), peer.answered(), count)
            yield {"server": name, "pushes": count, "perSecond": round(count / seconds)}
            self.stop_all()

    def micro(self):
        return json.loads(load.allim_bench("micro"))

    def size(self, quick, full):
        return quick if self.quick else full


def median(rows):
    """The row in the middle by CPU; of lists of clients, the one of each."""
    if isinstance(rows[0], list):
        return [median(list(of_one)) for of_one in zip(*rows)]
    return sorted(rows, key=lambda row: row.get("cpuUsPerPush") or row["cpuUsPerRequest"])[len(rows) // 2]


def say(text):
    print(text, file=sys.stderr, flush=True)


def run_measured(command, folder, environment=None):
    """Runs to the end; gives its output, its CPU seconds from start to exit, its peak memory in KB."""
    words = {name: str(value) for name, value in (environment or {}).items()}
    with open(pathlib.Path(folder) / "client.log", "wb") as errors:
        child = subprocess.Popen(
            [str(word) for word in command], env={**os.environ, **words},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors,
        )  # fmt: skip
        output = child.stdout.read().decode()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise ChainError(f"{command[0]} ended with {child.returncode}; see {folder}/client.log")
    return output, usage.ru_utime + usage.ru_stime, usage.ru_maxrss


@functools.cache
def peer_commands():
    """Of the clients whose tools are installed: name, command, and by how much fewer requests to send."""
    return list(built_peers())


def built_peers():
    built = PROJECT / ".build" / "bench-clients"
    built.mkdir(parents=True, exist_ok=True)
    if compiler := shutil.which("cc"):
        subprocess.run([compiler, "-O2", "-o", built / "curl_multi", CLIENTS / "curl_multi.c", "-lcurl"], check=True)
        yield "libcurl multi", [built / "curl_multi"], 1
    path = os.pathsep.join([str(VENV), os.environ["PATH"]])
    if go := shutil.which("go", path=path):
        subprocess.run([go, "build", "-o", built / "go_http2", CLIENTS / "go_http2.go"], check=True)
        yield "Go net/http", [built / "go_http2"], 1
    if node := shutil.which("node"):
        yield "Node http2", [node, CLIENTS / "node_http2.mjs"], 1
    for python in (VENV / "python", shutil.which("python3")):
        if pathlib.Path(python).exists() and not subprocess.call(
            [python, "-c", "import aioapns"], stderr=subprocess.DEVNULL
        ):
            yield "aioapns", [python, CLIENTS / "aioapns_send.py"], 10
            break


def metric(worker, name):
    """The largest value of a metric over its labels, or None."""
    with urllib.request.urlopen(worker.admin + "/metrics", timeout=10) as answer:
        lines = answer.read().decode().splitlines()
    values = [float(line.rsplit(" ", 1)[1]) for line in lines if re.match(re.escape(name) + r"[ {]", line)]
    return round(max(values)) if values else None


def outcomes(worker):
    """How many targets ended in which way, by the worker's own count."""
    with urllib.request.urlopen(worker.admin + "/metrics", timeout=10) as answer:
        lines = answer.read().decode().splitlines()
    found = {}
    for line in lines:
        if match := re.match(r'allim_pushes_total\{.*outcome="(\w+)".*\} (\d+)', line):
            found[match[1]] = found.get(match[1], 0) + int(match[2])
    return {outcome: count for outcome, count in found.items() if count}


def receiver_windows(answer):
    """What the simulator saw: requests that made their second hold more than 100 count as windows over."""
    connections = [c for c in answer["connections"] if c["requests"]]
    over, requests = (sum(c[key] for c in connections) for key in ("overRate", "requests"))
    return {
        "receiverMaxInAnySecond": max(c["largestInAnySecond"] for c in connections),
        "receiverWindowsOver": over,
        "receiverShareOver": round(over / requests, 5),
    }


def print_report(results):
    for name, value in results.items():
        rows = value if isinstance(value, list) else [value]
        for row in rows:
            if isinstance(row, dict):
                print(f"{name:10} " + "  ".join(f"{k} {v}" for k, v in row.items()))
            else:
                print(f"{name:10} {row}")


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--only", action="append", choices=PARTS)
    parser.add_argument("--install-peers", action="store_true")
    options = parser.parse_args()
    end_in_order_on_signals()
    parts = options.only or PARTS

    folder = tempfile.mkdtemp(prefix="allim-bench-")
    bench = Bench(folder, options.quick)
    results, failed = {}, []
    try:
        bench.take_sample()
        results = {"eventBytes": bench.sample.event_bytes, "bodyBytes": len(bench.sample.body)}
        results |= bench.compared(parts)
        for part in parts:
            if part not in COMPARED:
                say(f"measuring {part}")
                results[part] = getattr(bench, part)()
                bench.stop_all()
    except (ChainError, OSError, subprocess.CalledProcessError) as error:
        failed.append(str(error))
    except KeyboardInterrupt:
        failed.append("interrupted")
    finally:
        bench.stop_all()
    if "unlimited" in results and "h2load" in results:
        ours, theirs = results["unlimited"], results["h2load"]
        ours["ratioToH2load"] = round(ours["cpuUsPerPush"] / theirs["cpuUsPerRequest"], 2)
    print_report(results)
    if options.json:
        print(json.dumps(results))
    if failed:
        print(f"failed: {failed[0]}\nlogs are in {folder}", file=sys.stderr)
        return 1
    shutil.rmtree(folder, ignore_errors=True)
    return 0


sys.exit(main())
