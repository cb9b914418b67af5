#!/usr/bin/env python3
"""Asks the process that works on a session of swiftget.

    control.py DIRECTORY METHOD [PARAMETERS]    prints the answer; PARAMETERS is a JSON object
    control.py DIRECTORY follow [NUMBER]        prints the ends since a number, and what comes, until all has settled

DIRECTORY is the session's own, such as ~/.local/state/swiftget/night. swiftget-control(7) has the methods.
"""
import json
import os
import socket
import sys


class Refused(Exception):
    """The session refuses a call. `name` is that of the error, such as `unknown_task`."""

    def __init__(self, error):
        super().__init__(error["message"])
        self.name = error.get("data", {}).get("error")


class Session:
    def __init__(self, directory):
        self.last = 0
        self.waiting = []
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(self.path(directory))
        self.lines = self.socket.makefile("rb")
        self.call("hello", protocol=1)

    @staticmethod
    def path(directory):
        """Where the process listens, which its lock file names."""
        with open(os.path.join(directory, "lock"), encoding="utf-8") as lock:
            for line in lock:
                if line.startswith("socket "):
                    return line[len("socket "):].rstrip("\n")
        raise SystemExit("nobody works on this session")

    def read(self):
        line = self.lines.readline()
        if not line:
            raise SystemExit("the session has ended")
        return json.loads(line)

    def call(self, method, **parameters):
        """The result of a call. What the session tells meanwhile is kept for `news`."""
        self.last += 1
        request = {"jsonrpc": "2.0", "id": self.last, "method": method, "params": parameters}
        self.socket.sendall(json.dumps(request).encode() + b"\n")
        while True:
            message = self.read()
            if "method" in message:
                self.waiting.append(message)
            elif "error" in message:
                raise Refused(message["error"])
            elif message["id"] == self.last:
                return message["result"]

    def news(self):
        """What the session tells after `subscribe`: pairs of a method and its parameters, without end."""
        while True:
            message = self.waiting.pop(0) if self.waiting else self.read()
            if "method" in message:
                yield message["method"], message["params"]


def follow(session, since):
    session.call("subscribe", since=since)
    for method, task in session.news():
        if method == "ended":
            since = task["seq"]
            print(since, task["state"], task["path"], flush=True)
        if method in ("up_to_date", "ended", "totals"):
            totals = session.call("totals")
            if totals["activity"] == "settled" and totals["last_end"] <= since:
                return


def main(arguments):
    if len(arguments) < 2:
        raise SystemExit(__doc__)
    session = Session(arguments[0])
    if arguments[1] == "follow":
        return follow(session, int(arguments[2]) if len(arguments) > 2 else 0)
    parameters = json.loads(arguments[2]) if len(arguments) > 2 else {}
    try:
        print(json.dumps(session.call(arguments[1], **parameters), indent=2))
    except Refused as error:
        raise SystemExit(f"{error.name}: {error}")


main(sys.argv[1:])
