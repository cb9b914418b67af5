#!/usr/bin/env python3
"""What the library costs: many small files against the command, and a large one with and without subscribers.

    library.py --swiftget BINARY [--before BINARY] [--files N] [--bytes N] [--rounds N]

`--before` is another command to compare with. All files are below /dev/shm, and nginx serves them on 127.0.0.1. Prints the
processor time (user and system) of each, the median of the rounds, in which they take turns.
"""
import argparse
import os
import shutil
import statistics
import subprocess
import tempfile

import servers

HERE = os.path.dirname(os.path.abspath(__file__))


def build():
    scratch = os.path.join(HERE, "..", "..", ".build", "benchmark-library")
    subprocess.run(
        ["swift", "build", "-c", "release", "--static-swift-stdlib", "-Xswiftc", "-enforce-exclusivity=unchecked",
         "--package-path", os.path.join(HERE, "Library"), "--scratch-path", scratch],
        check=True, stdout=subprocess.DEVNULL)
    return os.path.join(scratch, "release", "library")


def processor_time(command, target):
    """Runs the command with an empty directory, and returns its processor time in seconds."""
    shutil.rmtree(target, ignore_errors=True)
    os.makedirs(target)
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{command[:3]} ended with {status}")
    return usage.ru_utime + usage.ru_stime


def compare(commands, target, rounds):
    """The median processor time of each command."""
    times = {name: [] for name in commands}
    for number in range(rounds):
        names = list(commands)
        for name in names if number % 2 == 0 else reversed(names):
            times[name].append(processor_time(commands[name], target))
    return {name: statistics.median(values) for name, values in times.items()}


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--swiftget", required=True)
    options.add_argument("--before")
    options.add_argument("--files", type=int, default=20_000)
    options.add_argument("--bytes", type=int, default=2 << 30)
    options.add_argument("--rounds", type=int, default=9)
    given = options.parse_args()
    program = build()
    work = tempfile.mkdtemp(dir="/dev/shm")
    server = None
    try:
        sources = servers.Sources(os.path.join(work, "sources"))
        names = sources.directory("small", given.files, 4096)
        sources.file("big", given.bytes)
        server = servers.Nginx(work, sources)
        urls = os.path.join(work, "urls")
        with open(urls, "w") as out:
            out.writelines(server.url(f"small/{name}") + "\n" for name in names)
        target = os.path.join(work, "target")
        commands = {
            "command": [given.swiftget, "-q", "--no-config", "-d", target, "-i", urls],
            "library": [program, "files", urls, target],
        }
        if given.before:
            commands["before"] = [given.before, "-q", "--no-config", "-d", target, "-i", urls]
        times = compare(commands, target, given.rounds)
        for name, time in times.items():
            print(f"{given.files} files, {name}: {time:.2f} s, {time / times['command']:.3f} of the command's")
        big = server.url("big")
        loops = {str(count): [program, "watch", str(count), big, target] for count in (0, 10)}
        times = compare(loops, target, given.rounds)
        for count, time in times.items():
            print(f"{given.bytes} bytes, {count} subscribers: {time:.2f} s, {time / times['0']:.3f} of none")
    finally:
        if server:
            server.stop()
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
