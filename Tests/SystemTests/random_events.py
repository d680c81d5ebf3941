"""Compares what the simulator received with the events that were pushed, number by number.

usage: random_events.py EVENTS RECORD LETTERS, each a file of JSON lines. Prints a line for each
difference, then how much was compared. It shares no code with the worker.
"""

import json
import sys
import uuid
from decimal import Decimal

TYPE_KEYS = {"type", "chatRoomId", "messageId", "lastReadChatId", "senderName", "senderId", "url",
             "channel", "image", "senderImage"}
STYLE_KEYS = {"title", "body", "tag", "image"}


class Number(Decimal):
    """A number that also knows its digits as written."""

    def __new__(cls, text):
        self = super().__new__(cls, text)
        self.text = text
        return self


def parse(text):
    return json.loads(text, parse_int=Number, parse_float=Number)


def same(a, b):
    """Equal in type and in every digit: true is not 1, and 1 is not 1.0."""
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, Number):
        return a.as_tuple() == b.as_tuple()
    return a == b


def merged(target, patch):
    """RFC 7396."""
    if not isinstance(patch, dict):
        return patch
    target = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            target.pop(key, None)
        else:
            target[key] = merged(target.get(key), value)
    return target


def without_nulls(value):
    """Inside aps nothing is null."""
    if isinstance(value, dict):
        return {key: without_nulls(item) for key, item in value.items() if item is not None}
    return [without_nulls(item) for item in value] if isinstance(value, list) else value


def is_text_of(text, value):
    """True when FCM's string is what the producer's value must become."""
    if not isinstance(text, str):
        return False
    if isinstance(value, str):
        return text == value
    if isinstance(value, Number):
        return text == value.text
    if isinstance(value, bool):
        return text == ("true" if value else "false")
    try:
        return same(parse(text), value)
    except ValueError:
        return False


def load(path):
    with open(path, encoding="utf-8") as lines:
        return [parse(line) for line in lines]


def recipients(event):
    return event.get("recipients") or [event]


def owners():
    """Each token, and whose it is: (event, recipient, device)."""
    found = {}
    for event in events.values():
        for name in ("topic", "condition"):
            if event.get(name):
                found[event[name]] = (event, {}, {})
        for recipient in recipients(event):
            for device in recipient.get("devices") or []:
                for name in ("token", "fid", "voipToken", "liveActivityToken"):
                    token = str(device.get(name) or "").strip()
                    if len(token) > 5:
                        found[token] = found[token.lower()] = (event, recipient, device)
    return found


def custom_data(event, recipient):
    data = dict(event.get("data") or {})
    if recipient is not event:
        data.update(recipient.get("data") or {})
    return data


def block(event, *path):
    for name in path:
        event = event.get(name) if isinstance(event, dict) else None
    return event or {}


def complain(what, event, got=None):
    problems.append(f"{what}: {event.get('id')}: {str(got)[:200]}")


def check_apns(request, event, recipient, token):
    body = request["body"]
    data = custom_data(event, recipient)
    patch = {key: value for key, value in block(event, "apns", "payload").items() if key != "aps"}
    for key, value in merged(data, patch).items():
        if key not in body or not same(body[key], value):
            complain(f"custom data {key}", event, body.get(key))
    for key in body.keys() - data.keys() - patch.keys() - {"aps"} - TYPE_KEYS:
        complain(f"key {key} from nowhere", event, body[key])
    room = block(event, "room").get("id")
    if "chatRoomId" in body and "chatRoomId" not in data and not same(body["chatRoomId"], room):
        complain("room id", event, body["chatRoomId"])
    activity = event.get("liveActivity")
    if activity and request["headers"]["apns-push-type"] == "liveactivity":
        if activity.get("contentState") is not None and not same(
                body["aps"].get("content-state"), without_nulls(activity["contentState"])):
            complain("content state", event, body["aps"])
    if "apns-id" not in block(event, "apns", "headers"):
        name = event["id"] + "\n" + token.lower()
        if request["headers"].get("apns-id") != str(uuid.uuid5(uuid.NAMESPACE_OID, name)):
            complain("apns-id", event, request["headers"].get("apns-id"))


def check_fcm(request, event, recipient):
    sent = request["body"]["message"].get("data") or {}
    data = {key: value for key, value in custom_data(event, recipient).items() if value is not None}
    patch = block(event, "fcm", "data")
    for key, value in data.items():
        if key not in patch and not is_text_of(sent.get(key), value):
            complain(f"data {key}", event, sent.get(key))
    for key, value in patch.items():
        if sent.get(key) != value:
            complain(f"data {key} of the block", event, sent.get(key))
    for key in sent.keys() - data.keys() - patch.keys() - TYPE_KEYS - STYLE_KEYS:
        complain(f"data {key} from nowhere", event, sent[key])


def check_books():
    """Every device got its push, or has a letter; nothing came twice."""
    filed = {}
    for letter in letters:
        event = letter.get("event") or {}
        whole = filed.setdefault(letter["id"], set())
        for recipient in recipients(event):
            whole.update(device["id"] for device in recipient.get("devices") or [])
        if event.get("topic") or event.get("condition"):
            whole.add(letter["id"])
    for event in events.values():
        wanted = {device["id"] for recipient in recipients(event)
                  for device in recipient.get("devices") or []} or {event["id"]}
        both = sent_to[event["id"]] & filed.get(event["id"], set())
        if both:
            complain("sent and filed", event, both)
        missing = wanted - sent_to[event["id"]] - filed.get(event["id"], set())
        # What lives for 30 s or has one attempt may end unsent in a long run, and is only counted.
        is_short = event["type"] in ("call", "callEnd") or same(event.get("ttl"), Number("0"))
        if missing and not is_short:
            complain("neither sent nor filed", event, missing)


problems = []
events = {event["id"]: event for event in load(sys.argv[1])}
requests = [request for request in load(sys.argv[2]) if request["provider"] != "oauth"]
letters = load(sys.argv[3])
sent_to = {id: set() for id in events}
owner = owners()
for request in requests:
    if request["provider"] == "apns":
        token = request["headers"][":path"].removeprefix("/3/device/")
    else:
        message = request["body"]["message"]
        token = next(message[name] for name in ("token", "fid", "topic", "condition")
                     if name in message)
    if token not in owner:
        complain("a token from nowhere", {}, token)
        continue
    event, recipient, device = owner[token]
    name = device.get("id", event["id"])
    if name in sent_to[event["id"]]:
        complain("sent twice", event, name)
    sent_to[event["id"]].add(name)
    if request["provider"] == "apns":
        check_apns(request, event, recipient, token)
    else:
        check_fcm(request, event, recipient)
check_books()
for problem in problems:
    print(problem)
print(f"{len(events)} events, {len(requests)} pushes, {len(letters)} letters compared, "
      f"{len(problems)} problems")
sys.exit(1 if problems else 0)
