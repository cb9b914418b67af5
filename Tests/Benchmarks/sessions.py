#!/usr/bin/env python3
"""Figures of named sessions: what commands, clients and the live view cost beside a transfer and with 100,000 tasks.

    sessions.py --swiftget BINARY [--tasks N] [--bytes N] [--rounds N]

Prints one line for each figure. All files are below /dev/shm, and all servers on 127.0.0.1.
"""
import argparse
import fcntl
import json
import os
import pty
import shutil
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time

import servers

RATE = 200_000_000


class Paced:
    """Sends one file at a rate over all connections, however often it is requested."""

    def __init__(self, size):
        self.size = size
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.port = self.listening.getsockname()[1]
        self.block = bytes(1 << 18)
        self.next = time.monotonic()
        self.lock = threading.Lock()
        threading.Thread(target=self.accept, daemon=True).start()

    def url(self, name):
        return f"http://127.0.0.1:{self.port}/{name}"

    def accept(self):
        while True:
            connection, _ = self.listening.accept()
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def wait(self, count):
        with self.lock:
            now = time.monotonic()
            self.next = max(self.next, now - 0.02) + count / RATE
            pause = self.next - now
        if pause > 0:
            time.sleep(pause)

    def serve(self, connection):
        request = b""
        try:
            while b"\r\n\r\n" not in request:
                more = connection.recv(65536)
                if not more:
                    return
                request += more
            first, last = 0, self.size - 1
            status = "200 OK"
            for line in request.decode().split("\r\n"):
                if line.lower().startswith("range: bytes="):
                    start, _, end = line.split("=", 1)[1].partition("-")
                    first, last = int(start), int(end) if end else last
                    status = f"206 Partial Content\r\nContent-Range: bytes {first}-{last}/{self.size}"
            head = f'HTTP/1.1 {status}\r\nContent-Length: {last - first + 1}\r\nETag: "a"\r\nAccept-Ranges: bytes\r\n\r\n'
            connection.sendall(head.encode())
            left = last - first + 1
            while left:
                part = self.block[: min(left, len(self.block))]
                self.wait(len(part))
                connection.sendall(part)
                left -= len(part)
        except OSError:
            pass
        finally:
            connection.close()


class Client:
    """A client of the process that works on a session."""

    def __init__(self, directory):
        with open(os.path.join(directory, "lock"), encoding="utf-8") as lock:
            path = next(line[7:].rstrip("\n") for line in lock if line.startswith("socket "))
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.lines = self.socket.makefile("rb")
        self.count = 0
        self.call("hello", {"protocol": 1})

    def call(self, method, parameters):
        self.count += 1
        request = {"jsonrpc": "2.0", "id": self.count, "method": method, "params": parameters}
        self.socket.sendall(json.dumps(request).encode() + b"\n")
        while True:
            answer = json.loads(self.lines.readline())
            if answer.get("id") == self.count:
                return answer["result"]


class Place:
    def __init__(self, binary, root):
        self.binary, self.root = binary, root
        self.environment = dict(
            os.environ, XDG_STATE_HOME=f"{root}/state", XDG_RUNTIME_DIR=f"{root}/run", HOME=root, LANG="C.UTF-8",
            TERM="xterm-256color")
        os.makedirs(f"{root}/run", 0o700)

    def run(self, *arguments, **options):
        return subprocess.run([self.binary, *arguments], env=self.environment, stdout=subprocess.PIPE, **options)

    def start(self, *arguments, **options):
        return subprocess.Popen([self.binary, *arguments], env=self.environment, **options)

    def serve(self, session):
        process = self.start("serve", "-S", session, stderr=subprocess.PIPE)
        process.stderr.readline()
        return process


def median_time(count, body):
    times = []
    for _ in range(count):
        start = time.monotonic()
        body()
        times.append(time.monotonic() - start)
    return statistics.median(times)


def milliseconds(seconds):
    return f"{seconds * 1000:.0f} ms"


def commands(place, count):
    """A session with many tasks, on which a process works."""
    with open(f"{place.root}/list", "w", encoding="utf-8") as out:
        for number in range(count):
            out.write(f"http://127.0.0.1:9/{number}\n")
    start = time.monotonic()
    words = ["ctl", "add", "-S", "many", "--paused", "-q", "-d", place.root, "-i", f"{place.root}/list"]
    place.run(*words, check=True)
    print(f"ctl add of {count} tasks: {time.monotonic() - start:.1f} s")
    worker = place.serve("many")
    try:
        # Some of them fail.
        place.run("ctl", "-S", "many", "cancel", "1", "2", "3", check=True)

        def first_line():
            listing = place.start("ctl", "-S", "many", "list", "--fields=number,id,state,size,path", stdout=subprocess.PIPE)
            listing.stdout.readline()
            listing.stdout.close()
            listing.kill()
            listing.wait()

        figures = [
            ("ctl list state:failed", lambda: place.run("ctl", "-S", "many", "list", "state:failed")),
            ("ctl list of all, five columns", lambda: place.run(
                "ctl", "-S", "many", "list", "--fields=number,id,state,size,path")),
            ("its first line", first_line),
            ("ctl status", lambda: place.run("ctl", "-S", "many", "status")),
            ("completion of selectors", lambda: place.run("ctl", "-S", "many", "list", "--selectors")),
        ]
        for name, body in figures:
            print(f"{name}, {count} tasks: {milliseconds(median_time(9, body))}")
    finally:
        servers.stop(worker)


def download(place, server, session, directory):
    """The time of a download by a process that works on the session."""
    shutil.rmtree(directory, ignore_errors=True)
    start = time.monotonic()
    url = server.url(f"big{time.monotonic_ns()}")
    added = place.run("ctl", "add", "-S", session, "-d", directory, url, check=True).stdout.decode()
    place.run("ctl", "-S", session, "wait", added.split("\n")[1].split("\t")[1], check=True)
    elapsed = time.monotonic() - start
    shutil.rmtree(directory)
    return elapsed


def processor_time(process):
    with open(f"/proc/{process}/stat", encoding="utf-8") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def beside(place, server, rounds):
    """What clients and the live view cost beside a transfer, with and without in turn."""
    directory = f"{place.root}/data"
    path = f"{place.root}/state/swiftget/many"
    worker = place.serve("many")
    try:
        plain, polled, watched, shares, rates = [], [], [], [], []
        own = threading.local()
        for _ in range(rounds):
            plain.append(download(place, server, "many", directory))
            ended = threading.Event()

            def poll():
                own.client = Client(path)
                while not ended.wait(0.1):
                    own.client.call("totals", {})

            # A session takes 32, of which the commands of a download need some.
            clients = [threading.Thread(target=poll) for _ in range(30)]
            for client in clients:
                client.start()
            polled.append(download(place, server, "many", directory))
            ended.set()
            for client in clients:
                client.join()

            primary, secondary = pty.openpty()
            fcntl.ioctl(secondary, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))

            def own_terminal():
                os.setsid()
                fcntl.ioctl(0, termios.TIOCSCTTY, 0)

            watch = place.start(
                "ctl", "-S", "many", "watch", stdin=secondary, stdout=secondary, stderr=secondary,
                preexec_fn=own_terminal)
            os.close(secondary)
            count = [0]

            def read():
                while True:
                    try:
                        got = os.read(primary, 65536)
                    except OSError:
                        return
                    count[0] += len(got)

            reader = threading.Thread(target=read, daemon=True)
            reader.start()
            # The list of tasks is read once.
            time.sleep(3)
            before, bytes_before = processor_time(watch.pid), count[0]
            if not bytes_before:
                raise SystemExit(f"ctl watch shows nothing: {watch.poll()}")
            elapsed = download(place, server, "many", directory)
            watched.append(elapsed)
            shares.append((processor_time(watch.pid) - before) / elapsed)
            rates.append((count[0] - bytes_before) / elapsed)
            servers.stop(watch)
            os.close(primary)
        base = statistics.median(plain)
        print(f"2 GiB at 200 MB/s: {base:.2f} s")
        print(f"beside 30 clients that poll ten times a second: {statistics.median(polled) / base:.3f} of that")
        print(f"beside ctl watch: {statistics.median(watched) / base:.3f} of that")
        print(f"ctl watch: {statistics.median(shares) * 100:.1f} % of a core, {statistics.median(rates) / 1000:.1f} KB/s")
    finally:
        servers.stop(worker)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--swiftget", required=True)
    parser.add_argument("--tasks", type=int, default=100_000)
    parser.add_argument("--bytes", type=int, default=2 << 30)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    root = tempfile.mkdtemp(prefix="swiftget-sessions-", dir="/dev/shm")
    try:
        place = Place(os.path.abspath(options.swiftget), root)
        commands(place, options.tasks)
        beside(place, Paced(options.bytes), options.rounds)
    finally:
        shutil.rmtree(root, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
