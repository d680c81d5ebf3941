"""Builds the Debian package and the tarball from a commit, reproducibly."""

import gzip
import hashlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile

PROJECT = pathlib.Path(__file__).resolve().parents[2]
TREE = PROJECT / ".build" / "release-tree"
DIST = PROJECT / "dist"
PROGRAMS = ["allim", "allim-sim"]
PAGES = ["README.md", "CHANGELOG.md"]


def say(text):
    print(text, file=sys.stderr)


def output(*words, cwd=PROJECT, **more):
    return subprocess.run(words, cwd=cwd, check=True, capture_output=True, text=True, **more).stdout


def version():
    """Of a tag `v1.2.3` on this commit, else of the changelog's newest release with what came since."""
    described = subprocess.run(
        ["git", "describe", "--tags", "--match", "v[0-9]*", "--exact-match"],
        cwd=PROJECT, capture_output=True, text=True)
    if described.returncode == 0:
        return described.stdout.strip()[1:]
    text = (PROJECT / "CHANGELOG.md").read_text()
    if found := re.search(r"^## \[(\d+\.\d+\.\d+)\]", text, re.M):
        base = found[1]
    else:
        source = (PROJECT / "Sources/allim/VersionCommand.swift").read_text()
        base = re.search(r'number = "([^"]+)"', source)[1]
    return f"{base}~git{commit_time_text()}.{commit()[:8]}"


def commit():
    return output("git", "rev-parse", "HEAD").strip()


def commit_time():
    return int(output("git", "show", "-s", "--format=%ct", "HEAD"))


def commit_time_text():
    return output("git", "show", "-s", "--date=format-local:%Y%m%d%H%M%S", "--format=%cd", "HEAD",
                  env={**os.environ, "TZ": "UTC"}).strip()


def export_tree(number):
    """The committed files, with the version written in. Times are the commit's, so that a second
    build of the same commit has nothing to do."""
    TREE.mkdir(parents=True, exist_ok=True)
    for path in TREE.iterdir():
        if path.name != ".build":
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=PROJECT, check=True, capture_output=True)
    with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as tar:
        tar.extractall(TREE, filter="data")
    source = TREE / "Sources/allim/VersionCommand.swift"
    text = re.sub(r'number = "[^"]*"', f'number = "{number}"', source.read_text())
    text = re.sub(r'commit = "[^"]*"', f'commit = "{commit()[:12]}"', text)
    source.write_text(text)
    os.utime(source, (commit_time(), commit_time()))


def build():
    """Takes 7 GB: all modules are optimised together while linking (docs/performance.md)."""
    prefix = ["-Xswiftc", "-file-prefix-map", "-Xswiftc", f"{TREE}=.",
              "-Xcc", f"-ffile-prefix-map={TREE}=."]
    for program in PROGRAMS:
        say(f"building {program} (release)")
        made = subprocess.run(
            ["swift", "build", "-c", "release", "--static-swift-stdlib", "--experimental-lto-mode=full",
             "--product", program, *prefix],
            cwd=TREE, capture_output=True, text=True)
        if made.returncode != 0:
            sys.exit("\n".join(l for l in made.stdout.splitlines() if "error:" in l) or made.stderr)
    folder = TREE / output("swift", "build", "-c", "release", "--show-bin-path", cwd=TREE).strip()
    stripped = TREE / ".build" / "stripped"
    stripped.mkdir(exist_ok=True)
    for program in PROGRAMS:
        output("objcopy", "--strip-all", str(folder / program), str(stripped / program))
        forget_the_machine(stripped / program)
    return stripped


def forget_the_machine(program):
    """The compiler's hashes of its command lines, which hold the folder, mean nothing in a program:
    they are blanked. The build id was made of them, too: it becomes that of what is left."""
    content = bytearray(program.read_bytes())
    places = {}
    for line in output("readelf", "-SW", str(program)).splitlines():
        words = line.partition("]")[2].split()
        if words and words[0] in [".swift_modhash", ".note.gnu.build-id"]:
            places[words[0]] = (int(words[3], 16), int(words[4], 16))
    start, size = places[".swift_modhash"]
    content[start : start + size] = bytes(size)
    start, size = places[".note.gnu.build-id"]
    end = start + size
    content[end - 20 : end] = bytes(20)
    content[end - 20 : end] = hashlib.sha1(content).digest()
    program.write_bytes(content)


def manual(program):
    """A manual page from `--help` of the program and its verbs."""
    def roff(text):
        return "\n".join(
            (r"\&" if line[:1] in ".'" else "") + line.replace("\\", r"\e").replace("-", r"\-")
            for line in text.rstrip("\n").splitlines())

    overview = output(str(program), "--help")
    date = output("date", "-u", "-d", f"@{commit_time()}", "+%Y-%m-%d").strip()
    first, rest = overview.split("\n", 1)
    summary = first.split(" ", 1)[1].rstrip(".")
    page = [f'.TH ALLIM 1 {date} Allim', ".SH NAME", rf"allim \- {summary}", ".SH SYNOPSIS",
            ".nf", roff("allim VERB [options]"), ".fi", ".SH VERBS", ".nf",
            roff(rest.strip().split("\n", 1)[1].strip("\n")), ".fi"]
    for verb in verbs(overview):
        help_text = output(str(program), *verb.split(), "--help")
        page += [f".SH {roff(verb.upper())}", ".nf", roff(help_text), ".fi"]
    page += [".SH FILES", ".I /etc/allim/allim.yaml", ".br", ".I /etc/default/allim"]
    return "\n".join(page) + "\n"


def verbs(overview):
    """Names as the overview lists them: lower-case words after two blanks."""
    names = []
    for line in overview.splitlines():
        if found := re.match(r"  ([a-z][a-z-]*(?: [a-z][a-z-]*)*)(?= |$)", line):
            names.append(found[1])
    return names


def root(folder, binaries, number):
    """The files of the package."""
    def put(path, content, mode=0o644):
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, pathlib.Path):
            content = content.read_bytes()
        target.write_bytes(content if isinstance(content, bytes) else content.encode())
        target.chmod(mode)

    def packed(text):
        return gzip.compress(text if isinstance(text, bytes) else text.encode(), 9, mtime=0)

    debian = TREE / "deploy/debian"
    for program in PROGRAMS:
        put(f"usr/bin/{program}", binaries / program, 0o755)
    allim = binaries / "allim"
    put("lib/systemd/system/allim.service", TREE / "deploy/allim.service")
    put("etc/allim/allim.yaml", debian / "allim.yaml", 0o644)
    put("etc/default/allim", debian / "default")
    put("usr/share/bash-completion/completions/allim", output(str(allim), "completion", "bash"))
    put("usr/share/zsh/vendor-completions/_allim", output(str(allim), "completion", "zsh"))
    put("usr/share/fish/vendor_completions.d/allim.fish", output(str(allim), "completion", "fish"))
    put("usr/share/man/man1/allim.1.gz", packed(manual(allim)))
    put("usr/share/doc/allim/copyright", debian / "copyright")
    put("usr/share/doc/allim/changelog.gz", packed((TREE / "CHANGELOG.md").read_bytes()))
    put("usr/share/doc/allim/changelog.Debian.gz", packed(debian_changelog(number)))
    for page in sorted((TREE / "docs").glob("*.md")):
        put(f"usr/share/doc/allim/{page.name}", page)


def maintainer():
    return output("git", "show", "-s", "--format=%an <%ae>", "HEAD").strip()


def debian_changelog(number):
    date = output("date", "-u", "-R", "-d", f"@{commit_time()}").strip()
    return (f"allim ({number}) stable; urgency=medium\n\n"
            f"  * Commit {commit()[:12]}; see changelog.gz.\n\n -- {maintainer()}  {date}\n")


def dependencies(binaries):
    """The packages of the C libraries, by dpkg-shlibdeps."""
    work = TREE / ".build" / "shlibs"
    (work / "debian").mkdir(parents=True, exist_ok=True)
    (work / "debian/control").write_text("Source: allim\n\nPackage: allim\nArchitecture: any\n")
    text = output("dpkg-shlibdeps", "-O", *[str(binaries / p) for p in PROGRAMS], cwd=work)
    return text.strip().removeprefix("shlibs:Depends=")


def package(folder, binaries, number, architecture):
    control = TREE / ".build" / "package"
    shutil.rmtree(control, ignore_errors=True)
    shutil.copytree(folder, control, symlinks=True)
    area = control / "DEBIAN"
    area.mkdir()
    size = sum(f.stat().st_size for f in folder.rglob("*") if f.is_file()) // 1024
    (area / "control").write_text(f"""\
Package: allim
Version: {number}
Architecture: {architecture}
Maintainer: {maintainer()}
Installed-Size: {size}
Depends: {dependencies(binaries)}, adduser, ca-certificates
Pre-Depends: init-system-helpers (>= 1.54~)
Recommends: redis-server (>= 5:6.2) | valkey-server
Section: net
Priority: optional
Description: push worker between Redis lists and APNs and FCM
 Allim takes push events of chat servers from Redis lists, turns each into APNs
 and FCM messages, one for each device, and sends them over pooled HTTP/2
 connections. It loses no event at a crash, tries again what may be tried again,
 and leaves dead letters and dead device tokens on lists of their own.
 .
 allim-sim, a simulator of APNs and FCM for tests, is part of the package.
""")
    (area / "conffiles").write_text("/etc/allim/allim.yaml\n/etc/default/allim\n")
    for script in ["postinst", "prerm", "postrm"]:
        shutil.copy(TREE / "deploy/debian" / script, area / script)
        (area / script).chmod(0o755)
    sums = [f"{output('md5sum', str(f)).split()[0]}  {f.relative_to(folder)}\n"
            for f in sorted(folder.rglob("*")) if f.is_file() and f.relative_to(folder).parts[0] != "etc"]
    (area / "md5sums").write_text("".join(sums))
    for path in [control, *control.rglob("*")]:
        if path.is_dir():
            path.chmod(0o755)
        os.utime(path, (commit_time(), commit_time()), follow_symlinks=False)
    target = DIST / f"allim_{number}_{architecture}.deb"
    output("dpkg-deb", "--root-owner-group", "-Zxz", "--build", str(control), str(target),
           env={**os.environ, "SOURCE_DATE_EPOCH": str(commit_time())})
    return target


def tarball(folder, number, machine):
    """Programs, manual, completions, documents and deploy/, for other systems with these libraries."""
    name = f"allim-{number}-linux-{machine}"
    files = {f"bin/{p}": folder / "usr/bin" / p for p in PROGRAMS}
    files["share/man/man1/allim.1.gz"] = folder / "usr/share/man/man1/allim.1.gz"
    files["share/completions/allim.bash"] = folder / "usr/share/bash-completion/completions/allim"
    files["share/completions/_allim"] = folder / "usr/share/zsh/vendor-completions/_allim"
    files["share/completions/allim.fish"] = folder / "usr/share/fish/vendor_completions.d/allim.fish"
    for page in [*PAGES, "LICENSE"]:
        files[page] = TREE / page
    for part in ["docs", "deploy"]:
        for path in sorted((TREE / part).rglob("*")):
            if path.is_file():
                files[str(path.relative_to(TREE))] = path
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for path, source in sorted(files.items()):
            entry = tarfile.TarInfo(f"{name}/{path}")
            content = source.read_bytes()
            entry.size, entry.mtime = len(content), commit_time()
            entry.mode = 0o755 if os.access(source, os.X_OK) else 0o644
            tar.addfile(entry, io.BytesIO(content))
    target = DIST / f"{name}.tar.gz"
    target.write_bytes(gzip.compress(raw.getvalue(), 9, mtime=0))
    return target


def main():
    number = version()
    export_tree(number)
    binaries = build()
    folder = TREE / ".build" / "root"
    shutil.rmtree(folder, ignore_errors=True)
    root(folder, binaries, number)
    DIST.mkdir(exist_ok=True)
    architecture = output("dpkg", "--print-architecture").strip()
    made = [package(folder, binaries, number, architecture),
            tarball(folder, number, os.uname().machine)]
    for path in made:
        print(f"{output('sha256sum', str(path)).split()[0]}  {path.relative_to(PROJECT)}")
    if "--check" in sys.argv:
        folder = PROJECT / ".build/release-check"
        folder.mkdir(exist_ok=True)
        check = PROJECT / "scripts/lib/release_check"
        sys.exit(subprocess.run([str(check), str(made[0]), str(folder)]).returncode)


main()
