"""Producers: plain RPUSH over a connection of their own, counting only what was answered."""

import threading
import time

from .ledger import QUEUE, event
from .resp import CLOSED, Refused


class Producer(threading.Thread):
    """Pushes `rate` events a second in batches until it is stopped or has pushed `limit` events.

    `base` is added to the numbers of its targets, `extra` stands in each event, and with `replicas`
    an event counts as acknowledged when so many have it (WAIT)."""

    def __init__(
        self, ledger, store, seed, rate=500, limit=None, devices=(1,), queue=QUEUE, base=0, extra="", fcm=True, replicas=0
    ):
        super().__init__(daemon=True)
        self.base, self.extra, self.fcm, self.replicas = base, extra, fcm, replicas
        self.moments = {}  # target → when it was acknowledged, UNIX seconds
        self.ledger, self.store, self.random, self.queue = ledger, store, seed, queue
        self.rate, self.left, self.devices = rate, limit, devices
        self.ended = threading.Event()
        self.connection = None
        self.longest_silence = 0.0  # seconds without an acknowledgement
        self.last_answer = time.monotonic()

    def run(self):
        while not self.ended.is_set() and self.left != 0:
            began = time.monotonic()
            batch = self.random.randint(1, min(20, max(1, self.rate // 10)))
            if self.left is not None:
                batch = min(batch, self.left)
            if self.push([self.random.choice(self.devices) for _ in range(batch)]):
                self.note_answer()
                if self.left is not None:
                    self.left -= batch
            else:
                self.ended.wait(0.05)
            self.ended.wait(max(0.0, began + batch / self.rate - time.monotonic()))
        if self.connection:
            self.connection.close()

    def note_answer(self):
        now = time.monotonic()
        self.longest_silence = max(self.longest_silence, now - self.last_answer)
        self.last_answer = now

    def push(self, sizes):
        """One RPUSH with an event for each size; whether Redis acknowledged it."""
        total = sum(sizes)
        try:
            self.connection = self.connection or self.store.connect(self.queue)
        except (*CLOSED, Refused):
            return False
        first = self.base + self.ledger.reserve(total)
        at, events = first, []
        for size in sizes:
            events.append(event(at, size, extra=self.extra, fcm=self.fcm))
            at += size
        try:
            self.connection("RPUSH", self.queue, *events)
            if self.replicas and self.connection("WAIT", self.replicas, 1000) < self.replicas:
                self.ledger.doubt(first, total)
                return True
        except Refused as error:
            self.ledger.refuse(total)
            if not str(error).startswith(("OOM", "MISCONF", "NOREPLICAS")):
                self.drop_connection()
            return False
        except CLOSED:
            self.ledger.doubt(first, total)
            self.drop_connection()
            return False
        self.ledger.acknowledge(first, total, self.connection.port)
        now = time.time()
        self.moments.update((number, now) for number in range(first, first + total))
        return True

    def port(self):
        """Of the server that it pushes to at present."""
        connection = self.connection
        return connection and connection.port

    def drop_connection(self):
        self.connection.close()
        self.connection = None

    def stop(self):
        self.ended.set()
        self.join(20)

    def wait(self, seconds):
        """Until its limit is reached."""
        self.join(seconds)
        return not self.is_alive()
