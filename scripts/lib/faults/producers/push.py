import socket, sys

with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as redis:
    replies = redis.makefile("rb")
    for line in sys.stdin.buffer:
        words = [b"RPUSH", sys.argv[2].encode(), line.rstrip(b"\n")]
        redis.sendall(b"*3\r\n" + b"".join(b"$%d\r\n%b\r\n" % (len(w), w) for w in words))
        if not replies.readline().startswith(b":"):
            sys.exit("no length came back")
