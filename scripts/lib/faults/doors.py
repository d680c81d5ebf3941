"""Doors at which every connection fails in one way, until they are mended and lead to the server."""

import selectors
import socket
import ssl

from .relay import Link, Relay, reset

# A record of 122 bytes is announced; the beginning of its ServerHello follows.
HALF_A_SERVER_HELLO = bytes([0x16, 3, 3, 0, 122, 2, 0, 0, 118, 3, 3, 1, 2, 3, 4])
FORBIDDEN = b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n"
ESTABLISHED = b"HTTP/1.1 200 Connection established\r\n\r\n"
# SETTINGS without an entry; GOAWAY that has taken no stream, without an error (RFC 9113, 6.5 and 6.8).
SETTINGS = bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])
GOAWAY = bytes([0, 0, 8, 7, 0, 0, 0, 0, 0]) + bytes(8)


class Guest:
    """A connection that is led nowhere, or not yet."""

    def __init__(self, side):
        self.side, self.head = side, b""


class Door(Relay):
    """`trouble` is what a connection meets: closes, resets, cut, endless, goaway, refusal; None = the
    target behind it. With `asks` a client says CONNECT first, as to a proxy."""

    def __init__(self, target, trouble, asks=False, identity=None, port=0):
        self.trouble, self.asks = trouble, asks
        self.rounds = 0  # connections that met the trouble
        self.guests = set()
        if identity:
            self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.tls.load_cert_chain(identity)
            self.tls.set_alpn_protocols(["h2"])
        super().__init__(target, port)

    @property
    def open(self):
        return len(self.guests) + len(self.links)

    def accept(self):
        if not self.trouble and not self.asks:
            return super().accept()
        try:
            side, _ = self.listener.accept()
        except OSError:
            return None
        guest = Guest(side)
        self.rounds += bool(self.trouble)
        if self.trouble == "closes":
            return side.close()
        if self.trouble == "resets":
            return reset(side)
        if self.trouble == "goaway" and not self.go_away(guest):
            return guest.side.close()
        guest.side.setblocking(False)
        self.guests.add(guest)
        return self.selector.register(guest.side, selectors.EVENT_READ, (guest, None))

    def go_away(self, guest):
        """Whether it heard so; who did closes."""
        try:
            guest.side.settimeout(5)
            guest.side = self.tls.wrap_socket(guest.side, server_side=True)
            guest.side.sendall(SETTINGS + GOAWAY)
        except OSError:
            return False
        return True

    def read(self, link, pipe):
        if isinstance(link, Guest):
            return self.hear(link)
        return super().read(link, pipe)

    def hear(self, guest):
        try:
            data = guest.side.recv(1 << 16)
        except (BlockingIOError, ssl.SSLWantReadError):
            return
        except OSError:
            data = b""
        if not data:
            return self.leave(guest).close()
        guest.head += data
        if self.trouble == "cut":
            self.say_and_close(guest, HALF_A_SERVER_HELLO)
        elif self.asks and guest.head.endswith(b"\r\n\r\n"):
            if self.trouble:
                self.say_and_close(guest, FORBIDDEN)
            else:
                self.let_through(guest)

    def leave(self, guest):
        self.guests.remove(guest)
        self.selector.unregister(guest.side)
        return guest.side

    def say_and_close(self, guest, words):
        side = self.leave(guest)
        side.send(words)
        side.close()

    def let_through(self, guest):
        """To the port that it asked for."""
        port = int(guest.head.split(b" ", 2)[1].rsplit(b":", 1)[1])
        side = self.leave(guest)
        server = socket.create_connection(("127.0.0.1", port), 1)
        server.setblocking(False)
        side.send(ESTABLISHED)
        link = Link(side, server)
        self.links.append(link)
        for pipe in link.pipes.values():
            self.selector.register(pipe.source, selectors.EVENT_READ, (link, pipe))

    def mend(self):
        self.trouble = None

    def stop(self):
        super().stop()
        for guest in self.guests:
            guest.side.close()
