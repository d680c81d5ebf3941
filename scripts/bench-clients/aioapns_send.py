"""aioapns: a Python APNs client with its own tokens, pool and answers."""

import asyncio
import json
import os
import ssl
import time
import urllib.parse

from aioapns import APNs, NotificationRequest, PushType, connection

E = os.environ
URL = urllib.parse.urlsplit(E["URL"])
connection.APNsProductionClientProtocol.APNS_SERVER = URL.hostname
connection.APNsProductionClientProtocol.APNS_PORT = URL.port


def contents(name):
    with open(E[name], encoding="utf-8") as file:
        return file.read()


async def main():
    trust = ssl.create_default_context(cafile=E["CA_FILE"])
    trust.set_alpn_protocols(["h2"])
    sender = APNs(
        key=contents("KEY_FILE"), key_id=E["KEY_ID"], team_id=E["TEAM_ID"], topic=E["TOPIC"],
        use_sandbox=False, max_connections=int(E["CONNECTIONS"]), ssl_context=trust,
    )  # fmt: skip
    message = json.loads(contents("BODY_FILE"))
    token = URL.path.rsplit("/", 1)[1]
    left = iter(range(int(E["REQUESTS"])))
    accepted = 0

    async def lane():
        nonlocal accepted
        for _ in left:
            request = NotificationRequest(device_token=token, message=message, push_type=PushType.ALERT)
            answer = await sender.send_notification(request)
            accepted += answer.is_successful

    begin = time.monotonic()
    lanes = int(E["CONNECTIONS"]) * int(E["STREAMS"])
    await asyncio.gather(*[lane() for _ in range(lanes)])
    print(json.dumps({"accepted": accepted, "seconds": round(time.monotonic() - begin, 3)}))


asyncio.run(main())
