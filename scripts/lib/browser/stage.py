"""What stands behind the page in these tests: Redis, the simulator, a worker, events and letters."""

import json
import pathlib
import tempfile
import time

import chain

TOKEN = "a15a11f00d5a11f00d5a11f00d5a11f00d5a11f00d5a11f00d5a11f00d5a"
QUEUE = "push:messages"


class Stage:
    def __init__(self, folder, products, **settings):
        chain.PRODUCTS = products
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=folder))
        self.redis_server = chain.RedisServer(self.folder)
        self.redis = self.redis_server.connect()
        self.simulator = chain.Simulator(self.folder, "--record", self.folder / "record.jsonl")
        environment = {
            "ALLIM_ADMIN_LISTEN": "127.0.0.1:0", "ALLIM_WORKERS": "16", "ALLIM_LOG_FORMAT": "json",
            **settings,
        }  # fmt: skip
        self.worker = chain.Worker(
            self.folder, "--config", self.folder / "allim.yaml", "--redis", self.redis_server.url,
            environment=environment,
        )  # fmt: skip
        self.address = chain.wait_until(self._address, 60, "the worker's page")
        self.token = (self.folder / ".allim/admin-token").read_text().strip()
        self.page = f"{self.address}/#token={self.token}"

    def _address(self):
        self.worker.require_running()
        for line in self.worker.log.read_text().splitlines():
            record = json.loads(line)
            if "admin" in record:
                return record["admin"]
        return None

    def audit(self):
        """Calls that changed something, as the log has them."""
        records = map(json.loads, self.worker.log.read_text().splitlines())
        return [one for one in records if one["message"] == "a call that changes something"]

    def stop(self):
        for process in [self.worker, self.simulator, self.redis_server]:
            process.stop()

    # Events.

    def push(self, *events):
        self.redis("RPUSH", QUEUE, *[json.dumps(event) for event in events])

    def event(self, number, title="Noodles at noon", **more):
        device = {"platform": "ios", "token": f"{TOKEN}{number:04x}"}
        return {
            "id": f"m-{number}", "type": "notice", "app": "chat", "title": title, "body": "Come along",
            "sentAt": int(time.time()), "devices": [device], **more,
        }  # fmt: skip

    def sent(self, number):
        """Requests that the simulator got for an event's device."""
        record = self.folder / "record.jsonl"
        lines = record.read_text().splitlines() if record.exists() else []
        return [line for line in lines if f"{TOKEN}{number:04x}" in line]

    # Dead letters, as a worker files them.

    def letter(self, number, reason="rejected", age=60, **more):
        dead_at = int((time.time() - age) * 1000)
        return {
            "v": 1, "id": f"m-{number}", "reason": reason, "detail": f"number {number}",
            "provider": "apns", "status": 400, "providerReason": "BadTopic", "app": "chat",
            "type": "notice", "attempts": 1, "takenAt": dead_at - 400, "deadAt": dead_at,
            "worker": "7c1e55aa.0", "replays": 0, "event": self.event(number, **more),
        }  # fmt: skip

    def file(self, letters):
        """Into the list, with the counters that a worker would have written."""
        letters = list(letters)
        for start in range(0, len(letters), 1000):
            part = letters[start : start + 1000]
            self.redis("RPUSH", "{push:messages}:dead", *[json.dumps(one) for one in part])
        for reason in {one["reason"] for one in letters}:
            count = sum(one["reason"] == reason for one in letters)
            self.redis("HINCRBY", "{push:messages}:counters", f"dead:{reason}", count)

    def hold(self, count):
        """Tokens that the brake holds back."""
        now = int(time.time() * 1000)
        records = [
            {
                "v": 1, "kind": "device", "token": f"{TOKEN}{number:04x}", "provider": "apns",
                "app": "chat", "platform": "ios", "environment": "production", "user": f"u{number}",
                "reason": "BadDeviceToken", "observedAt": now - number * 1000, "event": f"m-{number}",
            }
            for number in range(count)
        ]  # fmt: skip
        self.redis("RPUSH", "{push:messages}:invalid:held", *map(json.dumps, records))

    def letters(self):
        return self.redis("LLEN", "{push:messages}:dead")
