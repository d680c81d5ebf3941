"""The main job: sample events in, and a comparison of what is left with what must be."""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import record
from chain import (
    PROJECT, ChainError, Redis, Simulator, Worker, answers, end_in_order_on_signals,
    require_programs, wait_until,
)  # fmt: skip

QUEUE = "push:messages"
SAMPLES = PROJECT / "samples" / "main-job.json"
DEADLINE = 120  # seconds; FCM's floor of 10 s, half as much again, is the longest wait among the samples


def pushed_text(sample):
    if "raw" in sample:
        return sample["raw"]
    return json.dumps(sample["event"], ensure_ascii=False, separators=(",", ":"))


class Expectation:
    """What the samples must lead to, over all of them."""

    def __init__(self, samples):
        self.samples = samples
        self.answers = {}
        for sample in samples:
            for token, statuses in sample.get("answers", {}).items():
                self.answers[token] = statuses
        self.invalid = sorted(token for s in samples for token in s.get("invalid", []))
        self.dead = [s for s in samples if "dead" in s]


class MainJob:
    def __init__(self, folder, worker, simulator):
        self.worker = worker
        self.simulator = simulator
        self.socket = pathlib.Path(folder) / ".allim" / "redis.sock"
        self.redis = None

    def wait_until_ready(self):
        def ready():
            self.worker.require_running()
            try:
                self.redis = self.redis or Redis(path=self.socket)
            except OSError:
                return False  # no socket yet, or nobody listens behind it
            return self.admin() and answers(self.admin() + "/readyz")

        wait_until(ready, 30, f"the worker to be ready (see {self.worker.log})")

    def admin(self):
        """The address of the worker's admin server: it takes a free port when 9464 is in use."""
        for instance in (self.worker.verb("workers") or {}).get("workers", []):
            if address := instance.get("admin"):
                return address if address.startswith("http") else f"http://{address}"
        return None

    def push(self, text):
        subprocess.run(
            ["redis-cli", "-s", self.socket, "RPUSH", QUEUE, text],
            check=True, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
        )  # fmt: skip

    def unfinished(self):
        """Items that are still waiting, in flight or to be tried again."""
        tag = "{" + QUEUE + "}"
        count = self.redis("LLEN", QUEUE) + self.redis("ZCARD", f"{tag}:delayed")
        count += self.redis("LLEN", f"{tag}:chunks") + self.redis("LLEN", f"{tag}:suspects")
        count += sum(self.redis("HLEN", key) for key in self.redis.scan(f"{tag}:inflight:*"))
        return count + sum(self.redis("LLEN", key) for key in self.redis.scan(f"{tag}:parked:*"))

    def entries(self, list_name):
        return [json.loads(e) for e in self.redis("LRANGE", f"{{{QUEUE}}}:{list_name}", 0, -1)]


def letter_is_about(letter, sample):
    """Whether this dead letter holds what the sample pushed, byte for byte or for some of its devices."""
    if "raw" in sample:
        return record.base64_text(letter.get("raw")) == sample["raw"]
    event = letter.get("event") or {}
    without = lambda e: {k: v for k, v in e.items() if k not in ("devices", "recipients")}
    return without(event) == without(sample["event"])


def compare(expected, received, letters, invalid):
    """Every difference between what must be and what is, one text each."""
    by_token = {}
    for request in received:
        by_token.setdefault(request.token, []).append(request)
    for token in sorted(expected.answers.keys() | by_token.keys()):
        statuses = [r.status for r in by_token.get(token, [])]
        if statuses != expected.answers.get(token, []):
            yield f"device {token[:16]}… was answered {statuses}, not {expected.answers.get(token, [])}"
        if len({r.apns_id for r in by_token.get(token, [])}) > 1:
            yield f"device {token[:16]}… got several apns-ids for one push"
    for sample in expected.samples:
        for token in sample.get("answers", {}):
            for text in sample.get("arrives", []):
                if not all(text in r.text for r in by_token.get(token, [])):
                    yield f"{sample['about']}: {text!r} did not arrive at {token[:16]}…"
    left = list(letters)
    for sample in expected.dead:
        letter = next((x for x in left if letter_is_about(x, sample)), None)
        if letter is None:
            yield f"{sample['about']}: no dead letter"
            continue
        left.remove(letter)
        wanted, seen = sample["dead"], f"{letter.get('detail', '')} {letter.get('providerReason', '')}"
        if letter["reason"] != wanted["reason"] or wanted.get("names", "") not in seen:
            yield f"{sample['about']}: the letter says {letter['reason']}, {seen.strip()!r}"
    for letter in left:
        yield f"unexpected dead letter: {letter.get('id')} {letter['reason']} {letter.get('detail', '')}"
    if sorted(entry["token"] for entry in invalid) != expected.invalid:
        yield f"fed back were {[e['token'][:16] for e in invalid]}, not {[t[:16] for t in expected.invalid]}"


def print_table(expected, received, letters, invalid):
    by_token = {}
    for request in received:
        by_token.setdefault(request.token, []).append(request)
    fed_back = {entry["token"]: entry["reason"] for entry in invalid}
    print(f"\n{'provider':9}{'device':22}{'answers':16}what became of it")
    for sample in expected.samples:
        print(f"— {sample['about']}")
        for token in sample.get("answers", {}):
            requests = by_token.get(token, [])
            statuses = [r.status for r in requests]
            outcome = "nothing was sent"
            if statuses:
                outcome = "accepted" if statuses[-1] == 200 else "refused"
            if len(statuses) > 1:
                seconds = (requests[-1].micros - requests[0].micros) / 1e6
                outcome += f" at attempt {len(statuses)}, after {seconds:.1f} s"
            if token in fed_back:
                outcome = f"fed back: {fed_back[token]}"
            name = token if len(token) <= 20 else token[:19] + "…"
            provider = requests[0].provider if requests else "-"
            print(f"{provider:9}{name:22}{' '.join(map(str, statuses)):16}{outcome}")
        if "dead" in sample:
            letter = next((x for x in letters if letter_is_about(x, sample)), {})
            reason = letter.get("providerReason") or letter.get("detail", "")
            print(f"{'':9}{'':22}{'':16}dead letter: {letter.get('reason', 'none')}: {reason}")


def run_samples(job):
    given = json.loads(SAMPLES.read_text(encoding="utf-8"))
    expected = Expectation(given["samples"])
    job.simulator.call("POST", "/rules", given["rules"])
    started = time.monotonic()
    for sample in expected.samples:
        job.push(pushed_text(sample))

    def all_done():
        job.worker.require_running()
        answered = len(record.requests(job.simulator))
        return answered >= sum(map(len, expected.answers.values())) and job.unfinished() == 0

    try:
        wait_until(all_done, DEADLINE, "all samples")
    except ChainError as error:
        print(f"{error}; {job.unfinished()} items unfinished", file=sys.stderr)
    seconds = time.monotonic() - started

    received, letters, invalid = record.requests(job.simulator), job.entries("dead"), job.entries("invalid")
    problems = list(compare(expected, received, letters, invalid))
    print_table(expected, received, letters, invalid)
    statuses = {}
    for request in received:
        statuses.setdefault(request.token, []).append(request.status)
    summary = {
        "events": len(expected.samples),
        "targets": len(expected.answers),
        "accepted": sum(s[-1] == 200 for s in statuses.values()),
        "retried": sum(len(s) > 1 for s in statuses.values()),
        "invalid": len(invalid),
        "dead": len(letters),
        "seconds": round(seconds, 1),
    }
    return summary, problems


def stay_up(job):
    example = {
        "type": "message", "app": "chat", "sender": {"name": "You"}, "message": {"text": "Hello"},
        "devices": [{"platform": "ios", "token": "c0ffee" + "0" * 58}, {"platform": "android", "token": "my:phone"}],
    }  # fmt: skip
    text = json.dumps(example, separators=(",", ":"))
    print(f"\nadmin      {job.admin()}/metrics  (also /livez, /readyz)")
    print(f"simulator  {job.simulator.control}/received  (also /connections, /stats, /rules)")
    print("push one   " + f"redis-cli -s {job.socket} RPUSH {QUEUE} '{text}'")
    print("stop       Ctrl-C\n\nWhat arrives from now on:", flush=True)
    _, seen = record.page(job.simulator, 0)
    while True:
        time.sleep(0.5)
        job.worker.require_running()
        job.simulator.require_running()
        received, seen = record.page(job.simulator, seen)
        for request in received:
            print(f"{request.provider:6}{request.token[:24]:26}{request.status}  {request.text}", flush=True)


def main():
    parser = argparse.ArgumentParser(prog="scripts/run")
    parser.add_argument("--once", action="store_true", help="end when the samples are through")
    parser.add_argument("--json", action="store_true", help="close with one JSON line")
    options = parser.parse_args()
    end_in_order_on_signals()
    require_programs("redis-server", "redis-cli", "setpriv")

    folder = tempfile.mkdtemp(prefix="allim-run-")
    processes, problems = [], ["not run"]
    try:
        simulator = Simulator(folder)
        processes.append(simulator)
        worker = Worker(folder, "--config", pathlib.Path(folder) / "allim.yaml")
        processes.insert(0, worker)
        job = MainJob(folder, worker, simulator)
        job.wait_until_ready()
        summary, problems = run_samples(job)
        if not options.once:
            stay_up(job)
        if status := worker.stop():
            problems.append(f"the worker ended with status {status}")
    except KeyboardInterrupt:
        problems = []
    except (ChainError, OSError) as error:
        problems = [str(error)]
    finally:
        for process in processes:
            process.stop()
    for problem in problems:
        print(f"not as it should be: {problem}", file=sys.stderr)
    if problems:
        print(f"logs are in {folder}", file=sys.stderr)
        return 1
    shutil.rmtree(folder, ignore_errors=True)
    if options.once:
        counts = ", ".join(f"{value} {name}" for name, value in summary.items())
        print(json.dumps(summary) if options.json else f"\nall as it should be: {counts}")
    return 0


sys.exit(main())
