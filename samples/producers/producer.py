# pip install redis (Debian: python3-redis)
import json
import os
import time

import redis

server = redis.Redis.from_url(os.environ.get("REDIS_URL", "redis://127.0.0.1:6379/0"))
queue = os.environ.get("QUEUE", "push:messages")


def notify(room, sender, message, devices):
    """Pushes one event. Once this returns, the event is Allim's."""
    server.rpush(queue, json.dumps({
        "type": "message", "app": "chat", "sentAt": int(time.time()),
        "room": room, "sender": sender, "message": message, "devices": devices,
    }))


def remove_dead_tokens(remove):
    """Reads the tokens that are gone and calls `remove` with each record."""
    while records := server.lpop("{" + queue + "}:invalid", 500):
        for record in map(json.loads, records):
            remove(record)


if __name__ == "__main__":
    notify({"id": 42, "name": "Lunch"}, {"id": 7, "name": "Mina"}, {"id": 9001, "text": "Noodles at noon?"},
           [{"platform": "ios", "token": "aa" * 32}])
    # Remove the token of that kind, not the whole device.
    remove_dead_tokens(lambda record: print(record["kind"], record.get("deviceId"), record["reason"]))
