"""RESP for a test's purposes: a client with a time limit, and finding where a message ends."""

from chain import ChainError, Redis

CLOSED = (OSError, EOFError, ValueError)  # ValueError: a line cut in the middle


class Refused(ChainError):
    """An error reply: the command was certainly not carried out."""


class Client(Redis):
    """A connection that gives up after `seconds`. An error reply raises Refused; a reply that does
    not come raises one of CLOSED, and then nobody knows whether the command ran."""

    def __init__(self, port, seconds=5, path=None):
        super().__init__(path=path, port=port)
        self.port = port
        self.socket.settimeout(seconds)

    def reply(self):
        try:
            return super().reply()
        except ChainError as error:
            if str(error).startswith("Redis: "):
                raise Refused(str(error)[7:]) from None
            raise EOFError(str(error)) from None

    def close(self):
        self.replies.close()
        self.socket.close()


def message_end(data, start=0):
    """Where the message that begins at `start` ends, or None when it is not all there."""
    line = data.find(b"\r\n", start)
    if line < 0:
        return None
    kind, end = data[start : start + 1], line + 2
    if kind in b"+-:":
        return end
    size = int(data[start + 1 : line])
    if kind == b"$":
        end += max(0, size + 2 if size >= 0 else 0)
        return end if end <= len(data) else None
    for _ in range(size):
        if (end := message_end(data, end)) is None:
            return None
    return end


def words_of(data, start, end):
    """The bulk strings of one command."""
    words, at = [], data.index(b"\r\n", start) + 2
    while at < end:
        line = data.index(b"\r\n", at)
        size = int(data[at + 1 : line])
        words.append(bytes(data[line + 2 : line + 2 + size]))
        at = line + 4 + size
    return words
