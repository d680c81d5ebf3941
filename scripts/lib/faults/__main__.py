"""Runs the scenarios one after the other and says what each cost."""

import argparse
import concurrent.futures
import fnmatch
import json
import random
import sys
import time
import traceback

from chain import ChainError, end_in_order_on_signals, require_programs

from . import catalogue  # noqa: F401  registers the scenarios
from .resp import CLOSED, Refused
from .scenario import INVARIANTS, SCENARIOS, Run, Skipped

SUMS = ["acknowledged", "accepted", "dead", "invalid", "expired", "queued", "lost", "lostByRedis", "repeats"]


def options():
    parser = argparse.ArgumentParser(prog="scripts/test-faults")
    parser.add_argument("--quick", action="store_true", help="the short form of the important ones")
    parser.add_argument("--seed", help="replays the choices of a run")
    parser.add_argument("--minutes", type=float, default=5, help="length of the kill and storm scenarios")
    parser.add_argument("--only", action="append", help="a scenario, or leak-* for several; may be given several times")
    parser.add_argument("--json", action="store_true", help="close with one JSON line")
    parser.add_argument("--jobs", type=int, help="scenarios side by side (quick: 4, else 1)")
    parser.add_argument("--list", action="store_true", help="name the scenarios and end")
    parser.add_argument("--keep", action="store_true", help="leave the folders of all scenarios")
    return parser.parse_args()


def chosen(given):
    names = {s.name for s in SCENARIOS}
    wanted = set()
    for pattern in given.only or []:
        found = fnmatch.filter(names, pattern)
        if not found:
            sys.exit(f"test-faults: no scenario {pattern}; there are {', '.join(sorted(names))}")
        wanted.update(found)
    if given.only:
        return [s for s in SCENARIOS if s.name in wanted]
    return [s for s in SCENARIOS if s.quick or not given.quick]


def carry_out(scenario, seed, given, active):
    budget = scenario.seconds[0 if given.quick else 1]
    if scenario.timed:
        budget = max(budget, given.minutes * 60 + 240)
    run = Run(scenario.name, seed, given.quick, given.minutes, budget)
    active.append(run)
    skipped = None
    try:
        scenario.run(run)
    except Skipped as reason:
        skipped = str(reason)
    except Exception as error:  # of one scenario; the others go on
        run.problems.append(f"{type(error).__name__}: {error}")
        if not isinstance(error, (ChainError, *CLOSED, Refused)):
            run.problems.append(traceback.format_exc(limit=-3))
    finally:
        run.stop_all()
    run.seconds = time.monotonic() - run.began
    return run, skipped


def carry_out_all(scenarios, seed, given):
    """Several at once, since most of them wait most of the time; the longest begin first."""
    jobs = given.jobs or (4 if given.quick else 1)
    if jobs > 1:
        scenarios = sorted(scenarios, key=lambda one: -one.seconds[0])
    active, runs = [], []
    pool = concurrent.futures.ThreadPoolExecutor(jobs)
    waiting = [pool.submit(carry_out, one, seed, given, active) for one in scenarios]
    try:
        for done in concurrent.futures.as_completed(waiting):
            run, skipped = done.result()
            runs.append((run, skipped))
            report(run, skipped, given.keep)
    except KeyboardInterrupt:
        pool.shutdown(wait=False, cancel_futures=True)
        for run in active:
            run.deadline = 0
            run.stop_all()
        raise
    pool.shutdown()
    return runs


def report(run, skipped, keep):
    print(line_of(run, skipped), flush=True)
    for problem in run.problems:
        print(f"           {problem}", flush=True)
    if run.problems or keep:
        print(f"           logs are in {run.folder}", flush=True)
    else:
        run.forget_folder()


def line_of(run, skipped):
    if skipped:
        return f"skipped  {run.name}: {skipped}"
    shown = [k for k in SUMS if k in run.counts and (run.counts[k] or k in ("acknowledged", "lost"))]
    counts = ", ".join(f"{run.counts[k]} {k}" for k in shown)
    kills = [f"{run.worker_kills} worker kills"] if run.worker_kills else []
    kills += [f"{run.redis_kills} Redis kills"] if run.redis_kills else []
    details = ", ".join(f"{k} {v}" for k, v in run.detail.items())
    parts = [text for text in (counts, ", ".join(kills), details) if text]
    return f"{'FAILED' if run.problems else 'ok':8} {run.name} ({run.seconds:.0f} s): " + "; ".join(parts)


def summary(seed, minutes, runs):
    total = {name: sum(run.counts.get(name, 0) for run, _ in runs) for name in SUMS}
    seen = {name: [r.invariants[name] for r, _ in runs if name in r.invariants] for name in INVARIANTS}
    return {
        "seed": seed,
        "minutes": round(minutes, 1),
        **total,
        "workerKills": sum(run.worker_kills for run, _ in runs),
        "redisKills": sum(run.redis_kills for run, _ in runs),
        "recoverySecondsMax": round(max((t for run, _ in runs for t in run.recoveries), default=0), 1),
        # Without a scenario that looks at it an invariant is not in the list.
        "invariants": {name: all(found) for name, found in seen.items() if found},
        "scenarios": [
            {"name": run.name, "ok": not run.problems, "detail": detail_of(run, skipped)}
            for run, skipped in runs
        ],
    }


def detail_of(run, skipped):
    if skipped:
        return {"skipped": skipped}
    return {
        "seconds": round(run.seconds, 1), **run.counts, "workerKills": run.worker_kills,
        "redisKills": run.redis_kills, **run.detail, "problems": run.problems,
    }  # fmt: skip


def main():
    given = options()
    if given.list:
        for one in SCENARIOS:
            print(f"{one.name:16}{'quick' if one.quick else '':7}{one.about}")
        return 0
    end_in_order_on_signals()
    require_programs("redis-server", "redis-cli", "setpriv")
    seed = given.seed or f"{random.SystemRandom().getrandbits(40):x}"
    print(f"seed {seed}", flush=True)
    began = time.monotonic()
    try:
        runs = carry_out_all(chosen(given), seed, given)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 1
    failed = [run.name for run, _ in runs if run.problems]
    minutes = (time.monotonic() - began) / 60
    if given.json:
        print(json.dumps(summary(seed, minutes, runs)))
    else:
        print(f"{len(runs)} scenarios in {minutes:.1f} minutes, " + (f"failed: {', '.join(failed)}; repeat with --seed {seed}" if failed else "all as they should be"))
    return 1 if failed or not runs else 0


sys.exit(main())
