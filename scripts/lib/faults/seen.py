"""What the providers saw: the simulator's record, read as it grows."""

import collections

from .ledger import number_of


class Seen:
    def __init__(self, path):
        self.path = path
        self.file = None
        self.rest = b""
        self.accepted = {}  # target → how often it was answered with 200
        self.first = {}  # target → when first, UNIX seconds
        self.last = {}  # target → when last accepted
        self.statuses = collections.Counter()
        self.requests = 0
        self.last_start = 0.0  # UNIX seconds of the newest request
        self.rows = None  # a list, when somebody wants (seconds, target, connection) of each

    def refresh(self):
        """Reads what has come since the last time; returns itself."""
        if self.file is None:
            if not self.path.exists():
                return self
            self.file = open(self.path, "rb")
        while data := self.file.read(1 << 22):
            lines = (self.rest + data).split(b"\n")
            self.rest = lines.pop()
            for line in lines:
                self.note(line)
        return self

    def note(self, line):
        number = number_of(target_of(line))
        if number is None:
            return
        status = status_of(line)
        seconds = int(line[line.index(b'"time":') + 7 :].split(b",", 1)[0]) / 1e6
        self.requests += 1
        self.statuses[status] += 1
        self.last_start = max(self.last_start, seconds)
        if self.rows is not None:
            provider = line[line.index(b'"provider":') + 12 :][:4]
            connection = line[line.index(b'"connection":') + 13 :].split(b",", 1)[0]
            self.rows.append((seconds, number, (provider, connection)))
        if status == 200:
            self.accepted[number] = self.accepted.get(number, 0) + 1
            self.first.setdefault(number, seconds)
            self.last[number] = seconds

    def repeats(self):
        return sum(self.accepted.values()) - len(self.accepted)


def target_of(line):
    for mark in (b"/3/device/", b'"token":"'):
        at = line.find(mark)
        if at >= 0:
            at += len(mark)
            return line[at : line.find(b'"', at)]
    return b""


def status_of(line):
    at = line.rfind(b'"answer":{"status":')
    return int(line[at + 19 : at + 22]) if at >= 0 else 0
