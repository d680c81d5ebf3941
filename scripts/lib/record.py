"""What the simulator wrote down, as one kind of value whatever the provider."""

import base64
import binascii
import json
from dataclasses import dataclass


@dataclass
class Request:
    provider: str
    token: str
    status: int  # 0 when it got no answer
    apns_id: str
    micros: int  # UNIX time
    headers: dict
    text: str  # the body as compact JSON, no character escaped


def requests(simulator, since=0):
    """The pushes from number `since` on; exchanges for access tokens are left out."""
    return page(simulator, since)[0]


def page(simulator, since):
    """The pushes from number `since` on, and the number to ask for next."""
    answer = simulator.get(f"/received?since={since}")
    pushes = [parse(entry) for entry in answer["requests"] if entry["provider"] != "oauth"]
    return pushes, answer["next"]


def first_body(simulator):
    """The body of the first push byte for byte: the record holds JSON as it came."""
    answer = simulator.get_bytes("/received?since=0")
    entry = next(e for e in json.loads(answer)["requests"] if e["provider"] != "oauth")
    start = answer.index(b'"body":', answer.index(b'"n":%d,' % entry["n"])) + len(b'"body":')
    return answer[start : start + entry["bodyBytes"]]


def parse(entry):
    headers, body = entry["headers"], entry.get("body", {})
    if entry["provider"] == "apns":
        token = headers[":path"].rsplit("/", 1)[1]
    else:
        message = body.get("message", {})
        token = message.get("token") or message.get("fid") or message.get("topic") or ""
    return Request(
        provider=entry["provider"], token=token, status=entry["answer"].get("status", 0),
        apns_id=headers.get("apns-id", ""), micros=entry["time"], headers=headers,
        text=json.dumps(body, ensure_ascii=False, separators=(",", ":")),
    )  # fmt: skip


def base64_text(value):
    """The text behind base64, or None when there is none."""
    try:
        return base64.b64decode(value or "", validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None
