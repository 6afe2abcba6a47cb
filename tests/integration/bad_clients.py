"""Many connections at once, each of a client that does too little; and what a server needs while they are there."""

import contextlib
import pathlib
import resource
import select
import socket
import threading

from tenon import BUILD, SANITIZED, eventually

ZOO = BUILD / "tests" / "plugins" / "zoo"
EXERCISES = BUILD / "tests" / "plugins" / "exercise"

# Sanitizers keep what was freed: figures of memory mean nothing under them.
MEASURES_MEMORY = not SANITIZED


def allow_many_files(count=4096):
    """Lets this process open so many sockets, where the system does."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (count if hard == resource.RLIM_INFINITY else min(count, hard), hard))


class BadClients:
    """`count` open connections; close() or the end of a with block closes them."""

    def __init__(self, server, count, receive_buffer=None):
        allow_many_files()
        self.sockets, self.dripping, self.drips, self.stop = [], None, 0, threading.Event()
        try:
            for _ in range(count):
                self.sockets.append(self._connect(server, receive_buffer))
        except BaseException:
            self.close()
            raise

    @staticmethod
    def _connect(server, receive_buffer):
        connection = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        if receive_buffer:
            # As over Ethernet. The segments of loopback, 64 KiB, make the kernel take megabytes for a reader who does not read.
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 1460)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        connection.settimeout(60)
        connection.connect((server.host, server.port))
        return connection

    def send(self, data):
        """Sends to all; a connection that has ended takes nothing."""
        for connection in self.sockets:
            with contextlib.suppress(OSError):
                connection.sendall(data)

    def ask(self, request, group=100):
        """Sends a request on all, so many at once that none has to be refused, and waits for the first bytes of each 200."""
        for first in range(0, len(self.sockets), group):
            for connection in self.sockets[first:first + group]:
                connection.sendall(request)
            for connection in self.sockets[first:first + group]:
                begin = connection.recv(12, socket.MSG_PEEK)
                assert begin == b"HTTP/1.1 200", begin

    def drip(self, data):
        """Sends `data` on all, over and over, from a thread of its own until the end."""
        def go():
            while not self.stop.wait(0.1):
                self.send(data)
                self.drips += 1
        self.dripping = threading.Thread(target=go, daemon=True)
        self.dripping.start()
        eventually(lambda: self.drips > 0)

    def _ready(self, events):
        poll = select.poll()
        for connection in self.sockets:
            poll.register(connection, events)
        return poll.poll(0)

    def ended(self):
        """How many the server has closed."""
        return len(self._ready(select.POLLRDHUP))

    def responded(self):
        """How many have bytes to read, or have ended."""
        return len(self._ready(select.POLLIN | select.POLLRDHUP))

    def read_all(self, seconds=60):
        """Reads every connection until the server closes it; returns a list of bytes."""
        texts = []
        for connection in self.sockets:
            connection.settimeout(seconds)
            received = b""
            with contextlib.suppress(ConnectionError):
                while chunk := connection.recv(65536):
                    received += chunk
            texts.append(received)
        return texts

    def close(self):
        self.stop.set()
        if self.dripping:
            self.dripping.join()
        for connection in self.sockets:
            connection.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def status_kib(server, name):
    """A figure of /proc/PID/status in KiB: VmRSS, VmHWM …"""
    for line in pathlib.Path(f"/proc/{server.process.pid}/status").read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1])
    raise AssertionError(f"no {name} in the status of the server")


def descriptors(server):
    """How many files and sockets the server has open."""
    return len(list(pathlib.Path(f"/proc/{server.process.pid}/fd").iterdir()))
