"""What producers were promised. Every target of every event has a number of its own."""

import collections
import threading

QUEUE = "push:messages"
EVENT_ID = rb'"id":"e(\d+)x(\d+)"'


def token(number, fcm=True):
    """Every tenth target is one of FCM. No token is one of the simulator's ready-made ones."""
    return f"f:{number:x}" if fcm and number % 10 == 7 else f"a{number:063x}"


def number_of(token):
    """The target of a token (bytes or text), or None when it is not one of ours."""
    try:
        if token[:1] in (b"a", "a") and len(token) == 64:
            return int(token[1:], 16)
        if token[:2] in (b"f:", "f:"):
            return int(token[2:], 16)
    except ValueError:
        pass
    return None


def device(number, fcm=True):
    address = token(number, fcm)
    platform = "android" if address[0] == "f" else "ios"
    return f'{{"platform":"{platform}","token":"{address}"}}'


def event(first, devices=1, text="hello", extra="", fcm=True):
    """An event to the targets from `first` on; its id says which they are."""
    listed = ",".join(device(number, fcm) for number in range(first, first + devices))
    return (
        f'{{"id":"e{first}x{devices}","type":"message","sender":{{"name":"Mina"}},'
        f'"message":{{"text":"{text}"}},{extra}"devices":[{listed}]}}'
    ).encode()


class Ledger:
    def __init__(self):
        self.lock = threading.Lock()
        self.acknowledged = set()  # the reply to RPUSH came
        self.by_port = collections.defaultdict(set)  # of a server, those that it acknowledged
        self.unsure = set()  # it did not: Redis may have the event or not
        self.refused = 0  # an error reply came: Redis has not got it
        self.next = 0

    def reserve(self, devices=1):
        """The first of so many numbers that nobody else has."""
        with self.lock:
            first = self.next
            self.next += devices
            return first

    def acknowledge(self, first, devices=1, port=0):
        with self.lock:
            self.acknowledged.update(range(first, first + devices))
            self.by_port[port].update(range(first, first + devices))

    def acknowledged_by(self, port):
        with self.lock:
            return set(self.by_port[port])

    def doubt(self, first, devices=1):
        with self.lock:
            self.unsure.update(range(first, first + devices))

    def refuse(self, devices=1):
        with self.lock:
            self.refused += devices

    def copy_of_acknowledged(self):
        with self.lock:
            return set(self.acknowledged)

    def __len__(self):
        with self.lock:
            return len(self.acknowledged)
