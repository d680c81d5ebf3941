"""A TCP forwarder between a worker and Redis that loses, holds, delays, cuts and watches.

One thread serves all connections. What goes by is read as RESP only while something watches it.
"""

import collections
import selectors
import socket
import struct
import threading
import time

from .resp import message_end, words_of

UP, DOWN = "up", "down"  # worker → Redis, Redis → worker


class Pipe:
    """One way of one connection."""

    def __init__(self, way, source, sink):
        self.way, self.source, self.sink = way, source, sink
        self.waiting = collections.deque()  # (due moment, bytes)
        self.sent_in_slice = 0


class Link:
    """One connection: two pipes, and what is known of the commands on their way."""

    def __init__(self, worker, redis):
        self.worker, self.redis = worker, redis
        self.pipes = {UP: Pipe(UP, worker, redis), DOWN: Pipe(DOWN, redis, worker)}
        self.unread = {UP: b"", DOWN: b""}  # the part of a message that has come
        self.commands = collections.deque()  # those whose reply has not come


class Relay:
    """Knobs may be turned at any moment by other threads; the relay looks at them as it goes."""

    def __init__(self, target_port, port=0):
        self.target = target_port
        self.hold = set()  # ways in which nothing goes on for now; it waits, as in a partition
        self.swallow = set()  # ways in which everything is lost
        self.refuse = False  # new connections are cut at once
        self.delay = 0.0  # seconds, each way
        self.bytes_per_second = None
        self.watcher = None  # watcher(link, moment, words) → None or an action, see `on_command`
        self.links = []
        self.seen = collections.Counter()  # names of commands and scripts
        self.owners = set()  # hashes of the worker behind this relay
        self.lock = threading.Lock()
        self.requests = []
        self.listener = socket.create_server(("127.0.0.1", port), backlog=256)
        self.listener.setblocking(False)
        self.port = self.listener.getsockname()[1]
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.listener, selectors.EVENT_READ)
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.loop, daemon=True)
        self.thread.start()

    def stop(self):
        self.ended.set()
        self.thread.join(10)

    # From other threads

    def cut_all(self, reset=True):
        """Ends every connection: with RST, or as if a machine had gone without a word to one side."""
        with self.lock:
            self.requests.append(("cut", reset))

    def forget_worker_sides(self):
        """Closes towards Redis only: the worker's connections stay half open."""
        with self.lock:
            self.requests.append(("half", None))

    # The loop

    def loop(self):
        while not self.ended.is_set():
            for key, _ in self.selector.select(0.005 if self.delay or self.bytes_per_second else 0.02):
                if key.fileobj is self.listener:
                    self.accept()
                else:
                    self.read(*key.data)
            self.do_requests()
            self.send_due()
        for link in list(self.links):
            self.close(link)
        self.listener.close()
        self.selector.close()

    def accept(self):
        try:
            worker, _ = self.listener.accept()
        except OSError:
            return
        if self.refuse:
            return reset(worker)
        try:
            redis = socket.create_connection(("127.0.0.1", self.target), 1)
        except OSError:
            return reset(worker)
        for side in (worker, redis):
            side.setblocking(False)
            side.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        link = Link(worker, redis)
        self.links.append(link)
        for pipe in link.pipes.values():
            self.selector.register(pipe.source, selectors.EVENT_READ, (link, pipe))

    def read(self, link, pipe):
        if pipe.way in self.hold:
            return self.hush(pipe)
        try:
            data = pipe.source.recv(1 << 18)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if link not in self.links:
            return
        if not data:
            return self.close(link)
        if pipe.way in self.swallow:
            return
        self.forward(link, pipe, data)

    def hush(self, pipe):
        """A held pipe is not read, so that the sender's buffers fill as on a dead line."""
        try:
            self.selector.unregister(pipe.source)
        except (KeyError, ValueError):  # not read at present, or closed already
            pass

    def forward(self, link, pipe, data):
        if self.watcher is None and not link.unread[pipe.way] and not link.commands:
            return self.queue(pipe, data)
        read = self.read_commands if pipe.way == UP else self.read_replies
        read(link, pipe, data)

    def read_commands(self, link, pipe, data):
        data = link.unread[UP] + data
        at = 0
        while at < len(data) and (end := message_end(data, at)) is not None:
            words = words_of(data, at, end)
            name = name_of(words, self.owners)
            self.seen[name] += 1
            action = self.watcher(link, "before", name) if self.watcher else None
            if action == "cut":
                return self.close(link, abruptly=True)
            link.commands.append((name, action))
            self.queue(pipe, data[at:end])
            at = end
        link.unread[UP] = data[at:]

    def read_replies(self, link, pipe, data):
        data = link.unread[DOWN] + data
        at = 0
        while at < len(data) and (end := message_end(data, at)) is not None:
            name, action = link.commands.popleft() if link.commands else ("?", None)
            if self.watcher:
                action = self.watcher(link, "reply", name) or action
            if action == "cut":
                return self.close(link, abruptly=True)
            self.queue(pipe, data[at:end], extra=action[1] if isinstance(action, tuple) else 0)
            if action == "twice":
                self.queue(pipe, data[at:end])
            at = end
        link.unread[DOWN] = data[at:]

    def queue(self, pipe, data, extra=0.0):
        pipe.waiting.append((time.monotonic() + self.delay + extra, data))
        self.send_from(pipe)

    def send_due(self):
        for link in list(self.links):
            for pipe in link.pipes.values():
                if pipe.way not in self.hold and pipe.source.fileno() >= 0:
                    if pipe.source.fileno() not in self.selector.get_map():
                        self.selector.register(pipe.source, selectors.EVENT_READ, (link, pipe))
                if pipe.waiting:
                    self.send_from(pipe)

    def send_from(self, pipe):
        now = time.monotonic()
        while pipe.waiting and pipe.waiting[0][0] <= now and pipe.way not in self.hold:
            due, data = pipe.waiting[0]
            part = data
            if self.bytes_per_second:
                part = data[: max(1, int(self.bytes_per_second * 0.02))]
            try:
                sent = pipe.sink.send(part)
            except BlockingIOError:
                return
            except OSError:
                return pipe.waiting.clear()
            if sent == len(data):
                pipe.waiting.popleft()
            else:
                due = now + 0.02 if self.bytes_per_second else due
                pipe.waiting[0] = (due, data[sent:])

    def do_requests(self):
        with self.lock:
            requests, self.requests = self.requests, []
        for what, abruptly in requests:
            for link in list(self.links):
                if what == "cut":
                    self.close(link, abruptly)
                else:
                    self.hush(link.pipes[DOWN])
                    link.redis.close()

    def close(self, link, abruptly=False):
        if link in self.links:
            self.links.remove(link)
        for side in (link.worker, link.redis):
            try:
                self.selector.unregister(side)
            except (KeyError, ValueError):
                pass
            reset(side) if abruptly else side.close()


def reset(side):
    """Closes with RST instead of FIN."""
    try:
        side.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    except OSError:
        pass
    side.close()


def name_of(words, own):
    """Which of the queue's scripts a command calls, told by the keys it declares. `own` learns the
    hashes of the worker itself."""
    name = words[0].decode(errors="replace").lower()
    if name not in ("evalsha", "eval") or len(words) < 4:
        return name
    declared = words[3 : 3 + int(words[2])]
    keys = {key.rsplit(b":", 1)[-1] for key in declared}
    hashes = [key for key in declared if b":inflight:" in key]
    if keys == {b"leases"}:
        return "beat"
    if b"leases" in keys and b"delayed" in keys:
        own.update(hashes)
        return "take"
    if b"leases" in keys and hashes:
        return "release" if hashes[0] in own else "recover"
    if hashes and b"delayed" in keys:
        return "settle"
    if hashes:
        return "split" if b"chunks" in keys else "putBack"
    return "script"
