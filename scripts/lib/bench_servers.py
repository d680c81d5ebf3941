"""HTTP/2 servers that are not ours, in the place of APNs: nghttpd, Node and HAProxy before the simulator."""

import os
import pathlib
import shutil
import socket

from chain import PROJECT, ChainError, Process, wait_until

NODE_SERVER = PROJECT / "scripts" / "bench-clients" / "node_server.mjs"


def program(name):
    """Where a server's program lies, which may be where only administrators look; None without it."""
    return shutil.which(name, path=os.environ["PATH"] + os.pathsep + "/usr/sbin")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def is_open(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


class Server:
    """A process that listens on `port`; `answered` says how many pushes it has seen, or None."""

    def __init__(self, process, port, answered=lambda: None):
        self.process, self.port, self.answered = process, port, answered
        wait_until(lambda: process.require_running() or is_open(port), 20, process.name)

    def stop(self):
        self.process.stop()


def nghttpd(folder, simulator, count):
    """Serves files: one that says nothing for each device."""
    devices = pathlib.Path(folder) / "files" / "3" / "device"
    devices.mkdir(parents=True)
    first = devices / f"{1:064x}"
    first.write_bytes(b"")
    for number in [0, *range(2, count + 1)]:
        os.link(first, devices / f"{number:064x}")
    port = free_port()
    pem = pathlib.Path(folder) / "server.pem"
    command = [program("nghttpd"), "-a", "127.0.0.1", "-d", devices.parents[1], port, pem, pem]
    return Server(Process("nghttpd", command, folder), port)


def node(folder, simulator, count):
    process = Process("node", [program("node"), NODE_SERVER, pathlib.Path(folder) / "server.pem"], folder)
    port = int(process.first_line(20))
    log = process.log

    def answered():
        process.stop()
        return int(log.read_text().split()[-1])

    return Server(process, port, answered)


def haproxy(folder, simulator, count):
    port, pem = free_port(), pathlib.Path(folder) / "server.pem"
    configuration = pathlib.Path(folder) / "haproxy.cfg"
    configuration.write_text(f"""
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
frontend apns
  bind 127.0.0.1:{port} ssl crt {pem} alpn h2
  default_backend simulator
backend simulator
  server simulator 127.0.0.1:{simulator.ready['apnsPort']} ssl verify none alpn h2
""")
    process = Process("haproxy", [program("haproxy"), "-db", "-f", configuration], folder)
    return Server(process, port, lambda: simulator.get("/stats")["requests"])


def installed():
    """The servers whose programs are here: name and what starts one."""
    for name, start in (("nghttpd", nghttpd), ("node", node), ("haproxy", haproxy)):
        if program(name):
            yield name, start


def account(name, worker_counts, server_count, count):
    """Everything that was pushed was accepted once, by the worker's count and by the server's own."""
    if worker_counts != {"accepted": count}:
        raise ChainError(f"{name}: {worker_counts} of {count} pushes")
    if server_count not in (None, count):
        raise ChainError(f"{name}: the server answered {server_count} of {count}")
