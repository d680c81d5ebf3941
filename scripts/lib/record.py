"""What the simulator wrote down, as one kind of value whatever the provider."""

import base64
import binascii
import json
from dataclasses import dataclass


@dataclass
class Request:
    provider: str
    token: str
    status: int
    apns_id: str
    micros: int  # UNIX time
    headers: dict
    body: bytes
    text: str  # the body as JSON text without escapes


def requests(simulator):
    return [parse(entry) for entry in simulator.get("/received?since=0")["requests"]]


def parse(entry):
    headers = entry["headers"]
    body = entry["body"]
    message = json.loads(body)
    if entry["provider"] == "apns":
        token = headers[":path"].rsplit("/", 1)[1]
    else:
        target = message.get("message", {})
        token = target.get("token") or target.get("fid") or target.get("topic") or ""
    return Request(
        provider=entry["provider"], token=token, status=entry["answer"]["status"],
        apns_id=headers.get("apns-id", ""), micros=entry["time"], headers=headers, body=body.encode(),
        text=json.dumps(message, ensure_ascii=False, separators=(",", ":")),
    )  # fmt: skip


def base64_text(value):
    """The text behind base64, or None when there is none."""
    try:
        return base64.b64decode(value or "", validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None
