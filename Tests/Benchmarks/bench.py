#!/usr/bin/env python3
"""swiftget side by side with other downloaders, each at its best settings, on servers of this machine.

Rounds are interleaved (A B C A B C ...), so that what else the machine does falls on all alike; medians are compared.
Every file is checked: a run that left a wrong one, or none, has failed. Raw figures go to bench-results/ as JSON, a
table in Markdown to standard output.
"""

import argparse
import datetime
import json
import os
import platform
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import summary
from servers import Nginx, Sources, build_helpers
from workloads import WORKLOADS

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Nothing takes as long, on any machine worth measuring on.
TIME_LIMIT = 300


class Bench:
    """What the workloads share: directories, sources, servers, and how a command is measured."""

    def __init__(self, options):
        self.options = options
        self.work = tempfile.mkdtemp(prefix="swiftget-bench-", dir=options.work)
        self.memory = tempfile.mkdtemp(prefix="swiftget-bench-", dir=options.tmpfs)
        # The web server's own processes read below it.
        os.chmod(self.work, 0o755)
        os.chmod(self.memory, 0o755)
        self.helpers = build_helpers(self.work)
        self.sources = Sources(os.path.join(self.memory, "served"))
        self.nginx = Nginx(self.work, self.sources)
        self.run_number = 0

    def close(self):
        self.nginx.stop()
        shutil.rmtree(self.work, ignore_errors=True)
        shutil.rmtree(self.memory, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.work, name)

    def scaled(self, number):
        return number // 16 if self.options.quick else number

    def new_directory(self, on_disk):
        self.run_number += 1
        path = os.path.join(self.work if on_disk else self.memory, f"run{self.run_number}")
        os.makedirs(path)
        return path

    def start(self, script, directory, variables):
        """Starts a command under `measure`; SIGTERM to the process returned is SIGKILL to the command."""
        home = self.path("home")
        shutil.rmtree(home, ignore_errors=True)
        os.makedirs(home)
        environment = {
            "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "HOME": home, "CA": self.nginx.authority,
            "SWIFTGET": self.options.swiftget, "READER": self.helpers["reader"], "LIMIT": self.helpers["limit"],
            "LIMIT_LIST": self.helpers["limit_list"],
            "PORT": str(self.nginx.plain_port),
            **variables,
        }
        with open(self.path("output"), "w") as output:
            return subprocess.Popen(
                [self.helpers["measure"], self.path("figures.json"), "/bin/sh", "-c", script], cwd=directory,
                env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output)

    def finish(self, process):
        """Waits for a command's end and returns its figures."""
        try:
            process.wait(TIME_LIMIT)
            late = False
        except subprocess.TimeoutExpired:
            process.terminate()
            process.wait()
            late = True
        with open(self.path("figures.json")) as file:
            figures = json.load(file)
        os.unlink(self.path("figures.json"))
        figures["cpu"] = figures["user"] + figures["system"]
        figures["rss"] = figures.pop("rss_kib") / 1024
        if late:
            figures["note"] = f"killed after {TIME_LIMIT} s"
        return figures

    def measure(self, script, directory, variables):
        return self.finish(self.start(script, directory, variables))

    def last_words(self):
        with open(self.path("output"), errors="replace") as file:
            return " ".join(file.read().split())[-200:]


def wait_for_inodes(directory):
    """Waits, five minutes at most, until making files costs what it should.

    ext4 hands out no inode that was freed in the last minute, or in the last five where its table is not written yet,
    and looks at each of them every time: after 20,000 files have been removed, making 20,000 others takes 4.5 s of CPU
    instead of 0.7. So runs of many files leave theirs behind until the end of the session, and what was removed before
    the session is waited for. Rows of many files belong into one session.
    """
    probe = tempfile.mkdtemp(dir=directory)
    count = 1000
    for attempt in range(60):
        started = time.process_time()
        for number in range(count):
            os.close(os.open(os.path.join(probe, f"{attempt}-{number}"), os.O_WRONLY | os.O_CREAT))
        cost = (time.process_time() - started) / count
        if cost < 40e-6:
            return
        if attempt == 0:
            print(f"bench: {cost * 1e6:.0f} us to make a file; waiting for freed inodes", file=sys.stderr, flush=True)
        os.sync()
        time.sleep(5)
    print("bench: making files stays slow; do not trust the rows of many files", file=sys.stderr, flush=True)


def one_run(bench, workload, tool, variables):
    """Returns the figures of a run, with `error` where it failed."""
    directory = bench.new_directory(workload.on_disk)
    try:
        workload.before(bench, tool, directory, variables)
        if workload.on_disk:
            os.sync()  # what earlier runs wrote is not charged to this one
        figures = workload.run(bench, tool, directory, variables)
        if figures["status"] != 0:
            figures["error"] = f"status {figures['status']}: {bench.last_words()}"
        elif wrong := workload.check(bench, directory):
            figures["error"] = wrong
    except RuntimeError as error:
        figures = {"error": f"{error}: {bench.last_words()}"}
    finally:
        if not workload.keeps_files:
            shutil.rmtree(directory)
    return {"tool": tool, **figures}


def run_workload(bench, workload, tools):
    """Returns all runs, round by round."""
    rounds = bench.options.rounds or (1 if bench.options.quick else workload.rounds)
    variables = workload.prepare(bench)
    runs = []
    try:
        if workload.keeps_files and not bench.options.quick:
            wait_for_inodes(bench.work)
        if not bench.options.quick:  # programs and sources come from memory for all
            one_run(bench, workload, "curl" if "curl" in tools else tools[0], variables)
        for number in range(rounds):
            # Each round has an order of its own: what a tool leaves in the caches must not always meet the same one.
            for tool in random.Random(number).sample(tools, len(tools)):
                run = {"round": number, **one_run(bench, workload, tool, variables)}
                runs.append(run)
                said = f"failed: {run['error']}" if "error" in run else f"{run['wall']:.2f} s"
                print(f"{workload.name} {number + 1}/{rounds} {tool}: {said}", file=sys.stderr, flush=True)
    finally:
        workload.finish(bench)
    return runs


def medians(runs):
    """By tool, each figure's median over the runs that went well."""
    found = {}
    for run in runs:
        if "error" not in run:
            found.setdefault(run["tool"], []).append(run)
    return {
        tool: {
            metric: statistics.median(run[metric] for run in good)
            for metric in good[0] if isinstance(good[0][metric], (int, float)) and metric != "round"
        }
        for tool, good in found.items()
    }


def judge(workload, middle):
    """Each limit with the figure that was reached, where there is one to compare."""
    own = middle.get("swiftget")
    verdicts = []
    for limit in workload.limits:
        against = limit.against
        if against == "best":
            against = summary.best_peer(middle)[0] or against
        if own is None or limit.metric not in own or (limit.against and against not in middle):
            continue
        reached = own[limit.metric]
        if against:
            reached /= middle[against][limit.metric] or 1e-9
        verdicts.append({
            "metric": limit.metric, "against": against, "limit": limit.factor, "reached": reached,
            "met": reached <= limit.factor,
        })
    return verdicts


UNITS = {"wall": " s", "cpu": " s CPU", "rss": " MiB"}


def print_table(workload, runs, middle, verdicts):
    print(f"\n### {workload.title} (`{workload.name}`)\n")
    extra = [metric for metric in ("received", "connections", "requests", "early_errors", "errors") if any(metric in run for run in runs)]
    head = ["tool", "wall s", "to the best peer, least · median", "CPU s", "peak MiB", *extra, "runs"]
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    name, best = summary.best_peer(middle)
    least = min((run["wall"] for run in runs if run["tool"] == name and "error" not in run), default=None)
    for tool in sorted(dict.fromkeys(run["tool"] for run in runs), key=lambda t: middle.get(t, {}).get("wall", 1e9)):
        all_runs = [run for run in runs if run["tool"] == tool]
        good = [run for run in all_runs if "error" not in run]
        cells = [tool, "-", "-", "-", "-", *("-" for _ in extra), f"{len(good)}/{len(all_runs)}"]
        if figures := middle.get(tool):
            walls = [run["wall"] for run in good]
            cells[1] = f"{figures['wall']:.2f} ({min(walls):.2f}-{max(walls):.2f})"
            cells[2] = f"{min(walls) / least:.2f} · {figures['wall'] / best['wall']:.2f}" if best else "-"
            cells[3:5] = [f"{figures['cpu']:.2f}", f"{figures['rss']:.1f}"]
            cells[5:-1] = [f"{figures[metric]:.4g}" if metric in figures else "-" for metric in extra]
        print("| " + " | ".join(cells) + " |")
    print()
    for verdict in verdicts:
        unit = f" × {verdict['against']}" if verdict["against"] else UNITS.get(verdict["metric"], "")
        print(f"- {verdict['metric']}: {verdict['reached']:.3g}{unit}, at most {verdict['limit']:g}: "
              + ("met" if verdict["met"] else "**missed**"))
    sys.stdout.flush()


def machine(bench):
    model = "unknown"
    with open("/proc/cpuinfo") as file:
        for line in file:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    kind = subprocess.run(["stat", "-f", "-c", "%T", bench.work], capture_output=True, text=True).stdout.strip()
    return {
        "cpu": model, "cores": os.cpu_count(), "kernel": platform.release(), "file_system": kind,
        "memory_mib": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20, "load_before": os.getloadavg()[0],
    }


def available(options):
    """Tools that can be run, with the first line of what they say of their version."""
    programs = {n: n for n in ("curl", "lftp", "aria2c", "wget2", "axel", "sha256sum")}
    programs = {"swiftget": options.swiftget, "honest": options.swiftget, "alone": options.swiftget, **programs}
    found = {"reader": "reader.c", "limit": "limit.c, limit_list.c", "threads": "limit.c, limit_list.c"}
    for tool, program in programs.items():
        if path := shutil.which(program):
            said = subprocess.run([path, "--version"], capture_output=True, text=True).stdout
            found[tool] = said.splitlines()[0] if said else "unknown"
    return found


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--swiftget", default=os.path.join(ROOT, ".build/release/swiftget"), metavar="PATH")
    parser.add_argument("--only", action="append", metavar="NAME", help="a workload; repeatable")
    parser.add_argument("--tools", metavar="A,B", help="only these tools")
    parser.add_argument("--rounds", type=int, metavar="N", help="instead of each workload's own number")
    parser.add_argument("--quick", action="store_true", help="a sixteenth of the size, one round: does it work at all")
    parser.add_argument("--work", default="/var/tmp", metavar="DIR", help="on the disk to measure (%(default)s)")
    parser.add_argument("--tmpfs", default="/dev/shm", metavar="DIR", help="in memory (%(default)s)")
    parser.add_argument("--summary", nargs="+", metavar="RESULT", help="print the table of earlier results, and draw them")
    parser.add_argument("--svg", default=os.path.join(ROOT, "bench-results/summary"), metavar="PREFIX",
                        help="where the picture goes (%(default)s)")
    parser.add_argument("--list", action="store_true", help="the workloads and their tools")
    options = parser.parse_args()
    options.swiftget = os.path.abspath(options.swiftget)
    return options


def write(path, text):
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)


def main():
    options = arguments()
    workloads = [kind() for kind in WORKLOADS if not options.only or kind.name in options.only]
    if unknown := set(options.only or []) - {workload.name for workload in workloads}:
        raise SystemExit(f"no such workload: {', '.join(sorted(unknown))}")
    if options.list:
        for workload in workloads:
            print(f"{workload.name:14}{workload.title} ({', '.join(workload.tools)})")
        return 0
    if options.summary:
        found = summary.load(options.summary)
        order = [name for name in (kind.name for kind in WORKLOADS) if name in found]
        found = {name: found[name] for name in order}
        print(summary.table(found))
        for theme in summary.THEMES:
            write(f"{options.svg}-{theme}.svg", summary.svg(found, theme))
        return 0
    versions = available(options)
    chosen = options.tools.split(",") if options.tools else list(versions)
    for tool in ["swiftget", "curl", "lftp", "aria2c", "wget2", "axel"]:
        if tool in chosen and tool not in versions:
            print(f"bench: {tool} is not there and is left out", file=sys.stderr)

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    bench = Bench(options)
    started = datetime.datetime.now(datetime.timezone.utc)
    result = {
        "date": started.isoformat(timespec="seconds"), "machine": machine(bench), "versions": versions,
        "quick": options.quick, "workloads": {},
    }
    print(f"{result['date']}, {result['machine']['cpu']}, {result['machine']['cores']} cores, "
          f"Linux {result['machine']['kernel']}, {result['machine']['file_system']}")
    try:
        for workload in workloads:
            tools = [tool for tool in workload.tools if tool in chosen and tool in versions]
            if not tools:
                continue
            runs = run_workload(bench, workload, tools)
            middle = medians(runs)
            verdicts = judge(workload, middle)
            print_table(workload, runs, middle, verdicts)
            result["workloads"][workload.name] = {
                "title": workload.title, "commands": {tool: workload.tools[tool] for tool in tools}, "runs": runs,
                "medians": middle, "limits": verdicts,
            }
    finally:
        bench.close()
        path = os.path.join(ROOT, "bench-results", started.strftime("%Y%m%dT%H%M%SZ.json"))
        write(path, json.dumps(result, indent=1))
        print(f"bench: {path}", file=sys.stderr)
    results = result["workloads"].values()
    has_failed = any("error" in run for each in results for run in each["runs"] if run["tool"] == "swiftget")
    return 1 if has_failed or not all(limit["met"] for each in results for limit in each["limits"]) else 0


if __name__ == "__main__":
    sys.exit(main())
