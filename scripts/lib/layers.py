"""Checks that imports and target dependencies go downwards only, and C stays with its owners."""

import json
import pathlib
import re
import subprocess
import sys

# From the bottom to the top. A module may use what stands in lines above its own, nothing beside it.
LAYERS = [
    ["CLibuv", "CNghttp2", "COpenSSL", "CHiredis", "CCurl", "CMicrohttpd", "CYaml",
     "CAllocations", "CAdminPage"],
    ["SharedState", "PushModel"],
    ["PushCrypto", "PushTelemetry"],
    ["PushCodec", "PushSettings"],
    ["LoopIO"],
    ["RedisClient", "HTTP2"],
    ["PushWorker"],
    ["PushAdmin", "PushQueue", "PushProviders", "PushSimulator"],
    ["allim", "allim-sim", "allim-bench"],
]

# A C library is imported by the modules that own it, and by no other.
OWNERS = {
    "CLibuv": ["LoopIO"],
    "COpenSSL": ["LoopIO", "PushCrypto"],
    "CNghttp2": ["HTTP2"],
    "CHiredis": ["RedisClient"],
    "CCurl": ["PushProviders"],
    "CMicrohttpd": ["PushAdmin", "PushSimulator"],
    "CYaml": ["PushSettings"],
    "CAllocations": ["allim-bench"],
    "CAdminPage": ["PushAdmin"],
}

# Lower, and still out of bounds: the core knows no wire, and an adapter knows one outside world.
FORBIDDEN = {
    "PushWorker": ["RedisClient", "HTTP2"],
    "PushQueue": ["HTTP2"],
    "PushProviders": ["RedisClient"],
    "PushAdmin": ["RedisClient", "HTTP2"],
    "PushSimulator": ["RedisClient", "PushWorker"],  # it judges the sender, so it shares nothing with it
}

# What the system gives; Foundation is not among it (start-up time and memory).
SYSTEM = {"Swift", "Glibc", "Synchronization", "_Concurrency"}
TEST_SYSTEM = SYSTEM | {"Testing", "Foundation"}

HEIGHT = {name: height for height, layer in enumerate(LAYERS) for name in layer}
IMPORT = re.compile(
    r"^\s*((?:@\S+\s+)*)(public |package |internal |fileprivate |private )?import\s+"
    r"(?:struct |class |enum |protocol |func |var |let |typealias )?([A-Za-z_][A-Za-z0-9_]*)"
)


def spoken(target):
    """The name a target is imported by."""
    return target.replace("-", "_")


def uses_problem(user, used):
    """Why `user` may not use the module `used`, or None."""
    if used in OWNERS and user not in OWNERS[used]:
        return f"{used} belongs to {' and '.join(OWNERS[used])}"
    if used in FORBIDDEN.get(user, []):
        return f"{user} may not know {used}"
    if HEIGHT[used] >= HEIGHT[user]:
        return f"{used} is not below {user}"
    return None


def package_targets():
    dump = subprocess.run(
        ["swift", "package", "dump-package"], check=True, capture_output=True, text=True
    )
    for target in json.loads(dump.stdout)["targets"]:
        names = []
        for dependency in target["dependencies"]:
            kind, value = next(iter(dependency.items()))
            names.append(value[0] if isinstance(value, list) else value["name"])
        yield target["name"], target["type"], target.get("path"), names


def imports_of(folder):
    for path in sorted(pathlib.Path(folder).rglob("*.swift")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if match := IMPORT.match(line):
                yield f"{path}:{number}", match[2], match[3]


def check_target(name, kind, path, dependencies, all_names):
    is_test = kind == "test" or (path or "").startswith("Tests/")
    manifest = "Package.swift"
    if not is_test and name not in HEIGHT:
        yield f"{manifest}: {name} has no layer in scripts/lib/layers.py"
        return
    if not is_test:
        for used in dependencies:
            problem = uses_problem(name, used) if used in HEIGHT else "not a module of Sources"
            if problem:
                yield f"{manifest}: {name} depends on {used}: {problem}"
    if kind == "system":
        return
    folder = path or f"{'Tests' if kind == 'test' else 'Sources'}/{name}"
    declared = {spoken(used): used for used in dependencies}
    for place, access, module in imports_of(folder):
        if module in (TEST_SYSTEM if is_test else SYSTEM):
            continue
        if module not in all_names:
            yield f"{place}: {module} is neither ours nor allowed (Swift, Glibc, Synchronization are)"
        elif module not in declared:
            yield f"{place}: {module} is not among the dependencies of {name} in {manifest}"
        elif not is_test and (problem := uses_problem(name, declared[module])):
            yield f"{place}: {problem}"
        elif module in OWNERS and access in ("public ", "package "):
            yield f"{place}: {module} is imported internally only"


def main():
    targets = list(package_targets())
    all_names = {spoken(name) for name, *_ in targets}
    problems = [p for target in targets for p in check_target(*target, all_names)]
    print("\n".join(problems))
    return 1 if problems else 0


sys.exit(main())
