#!/usr/bin/env python3
"""Figures of a run that waits, and of one that is stopped while it is busy.

    waiting.py --swiftget BINARY [--rounds N] [--bytes N]

Prints the context switches of all threads while nothing happens but one Retry-After, and how long a run takes to end that
hashes a file, receives 64 others and names 500 small ones. Its servers are on 127.0.0.1.
"""
import argparse
import asyncio
import os
import shutil
import signal
import statistics
import subprocess
import tempfile
import threading
import time

SMALL = 500
TRANSFERS = 64


class Server:
    """Answers /busy with 429 once, /small/N at once, and /slow/N with a few bytes every 50 ms."""

    def __init__(self):
        self.requests = 0
        self.slow = 0
        self.ready = threading.Event()
        threading.Thread(target=lambda: asyncio.run(self.run()), daemon=True).start()
        self.ready.wait()

    async def run(self):
        server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self.ready.set()
        async with server:
            await server.serve_forever()

    async def serve(self, reader, writer):
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                path = head.split(b" ")[1].decode()
                self.requests += 1
                if path == "/busy" and self.requests == 1:
                    writer.write(b"HTTP/1.1 429 Busy\r\nRetry-After: 60\r\nContent-Length: 0\r\n\r\n")
                elif path.startswith("/slow/"):
                    writer.write(b'HTTP/1.1 200 OK\r\nETag: "1"\r\nContent-Length: 1000000000\r\n\r\n')
                    self.slow += 1
                    while True:
                        writer.write(bytes(4096))
                        await writer.drain()
                        await asyncio.sleep(0.05)
                else:
                    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 4096\r\n\r\n" + bytes(4096))
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            writer.close()


def switches(pid):
    total = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/status") as status:
            for line in status:
                if line.startswith("voluntary_ctxt_switches"):
                    total += int(line.split()[1])
    return total


def waits(binary):
    server = Server()
    with tempfile.TemporaryDirectory() as scratch:
        run = subprocess.Popen(
            [binary, "-d", scratch, f"http://127.0.0.1:{server.port}/busy"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(5)
        before = switches(run.pid)
        time.sleep(50)
        after = switches(run.pid)
        status = run.wait()
        print(f"context switches from the 5th to the 55th of 60 seconds of Retry-After: {after - before}, status {status}")


def stops(binary, byte_count, rounds):
    times = []
    for _ in range(rounds):
        server = Server()
        scratch = tempfile.mkdtemp(dir=".")
        base = f"http://127.0.0.1:{server.port}"
        with open(f"{scratch}/list", "w") as entries:
            entries.write(f"{base}/big\n  out=big\n  checksum=sha-256={'0' * 64}\n")
            entries.writelines(f"{base}/slow/{number}\n  out=slow{number}\n" for number in range(TRANSFERS))
            entries.writelines(f"{base}/small/{number}\n  out=small{number}\n" for number in range(SMALL))
        os.mkdir(f"{scratch}/files")
        with open(f"{scratch}/files/big", "wb") as big:
            big.truncate(byte_count)
        run = subprocess.Popen(
            [binary, "-d", f"{scratch}/files", "-i", f"{scratch}/list", "--if-exists", "verify",
             "--max-connections-per-host", "256", "--jobs", "1000"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        while server.slow < TRANSFERS and run.poll() is None:
            time.sleep(0.005)
        if run.poll() is not None:
            raise SystemExit(f"it has ended: {run.stderr.read().decode()}")
        begin = time.monotonic()
        run.send_signal(signal.SIGINT)
        run.send_signal(signal.SIGINT)
        run.wait()
        times.append(time.monotonic() - begin)
        shutil.rmtree(scratch)
    print(f"seconds to stop: median {statistics.median(times):.3f}, most {max(times):.3f}, of {rounds}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--swiftget", required=True)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--bytes", type=int, default=16 << 30)
    arguments = parser.parse_args()
    binary = os.path.abspath(arguments.swiftget)
    stops(binary, arguments.bytes, arguments.rounds)
    waits(binary)


main()
