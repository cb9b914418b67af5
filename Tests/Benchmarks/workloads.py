"""What is measured: each workload is a small class with one shell line per tool, the best settings known for it.

The lines run in an empty directory, with these variables: URL and URL2 (the same file from another server), CA (the
authority's certificate), SHA256, LIST (URLs, one a line), CURL_LIST, SUMS and BASE (a checksum list and its base URL),
SWIFTGET, READER, LIMIT, LIMIT_LIST, PORT. A file goes to the name `out`, a list's files to their own names. swiftget runs
with its defaults, whatever it costs it.
"""

import os
import random
import shutil
import socket
import subprocess
import time
from dataclasses import dataclass

from servers import MIB, FirstRequest, Relay, Throttled, free_port


@dataclass
class Limit:
    """A figure of swiftget that must be at most `factor` times another tool's, or plain `factor` without one."""

    metric: str  # wall, cpu (seconds), rss (MiB), or a figure of the workload's own
    factor: float
    against: str = ""  # a tool; "best" is the fastest peer


MEMORY = Limit("rss", 40)
# Single runs of what memory or the file system decides scatter by a factor of three and more: in a virtual machine that
# gives free memory back to its host, a page costs ten times as much after that. So the order of tools is drawn anew for
# each of so many rounds, and nothing is waited for, which would only let more of it go.
SCATTERED = 9


class Workload:
    name = ""
    title = ""
    on_disk = False  # else tmpfs
    keeps_files = False  # until the end of the session, see `wait_for_inodes`
    rounds = 5
    tools = {}
    limits = [MEMORY]

    def prepare(self, bench):
        """Makes sources and servers; returns the variables."""
        raise NotImplementedError

    def before(self, bench, tool, directory, variables):
        """Whatever must be there before a run and is not measured."""

    def run(self, bench, tool, directory, variables):
        """Returns the measured figures."""
        return bench.measure(self.tools[tool], directory, variables)

    def check(self, bench, directory):
        """What is wrong with the files of a run, or None."""
        raise NotImplementedError

    def finish(self, bench):
        """Stops what `prepare` started besides the bench's own servers."""


def differs(path, expected):
    if not os.path.exists(path):
        return "no file"
    return None if subprocess.run(["cmp", "-s", path, expected]).returncode == 0 else "wrong content"


def content(path):
    with open(path, "rb") as file:
        return file.read()


class OneFile(Workload):
    source = "big.bin"
    size = 2048 * MIB

    def address(self, bench):
        return bench.nginx.url(self.source)

    def prepare(self, bench):
        bench.sources.file(self.source, bench.scaled(self.size))
        return {"URL": self.address(bench), "SHA256": bench.sources.digest(self.source)}

    def check(self, bench, directory):
        return differs(os.path.join(directory, "out"), bench.sources.path(self.source))


class Big(OneFile):
    name = "big"
    title = "2 GiB, HTTP/1.1, to tmpfs"
    rounds = SCATTERED
    tools = {
        "swiftget": 'exec "$SWIFTGET" -o out "$URL"',
        "reader": 'exec "$READER" "$PORT" /big.bin out 524288',
        "limit": 'exec "$LIMIT" "$URL" out',
        "threads": 'exec "$LIMIT" "$URL" out 262144 16',
        "curl": 'exec curl -sS -o out "$URL"',
        "lftp": 'exec lftp -c "set xfer:buffer-size 1M; get $URL -o out"',
        "aria2c": 'exec aria2c -q --file-allocation=none -o out "$URL"',
        "wget2": 'exec wget2 -q -O out "$URL"',
        "axel": 'exec axel -q -n 2 -o out "$URL"',
    }
    limits = [
        Limit("wall", 1.02, "lftp"), Limit("cpu", 1.05, "lftp"), Limit("wall", 1.05, "limit"),
        Limit("cpu", 1.05, "limit"), MEMORY,
    ]


class BigTLS(OneFile):
    """Without axel, which finds no fault with the authority but takes no name in the certificate for the server's."""

    name = "big-tls"
    title = "2 GiB, TLS 1.3, HTTP/1.1, to tmpfs"
    rounds = SCATTERED
    tools = {
        "swiftget": 'exec "$SWIFTGET" --cacert "$CA" -o out "$URL"',
        "limit": 'exec "$LIMIT" "$URL" out 262144 1 "$CA"',
        "threads": 'exec "$LIMIT" "$URL" out 262144 16 "$CA"',
        "curl": 'exec curl -sS --cacert "$CA" -o out "$URL"',
        "lftp": 'exec lftp -c "set ssl:ca-file $CA; set xfer:buffer-size 1M; get $URL -o out"',
        "aria2c": 'exec aria2c -q --ca-certificate="$CA" --file-allocation=none -o out "$URL"',
        "wget2": 'exec wget2 -q --ca-certificate="$CA" -O out "$URL"',
    }
    limits = [Limit("wall", 0.95, "best"), Limit("wall", 1.05, "limit"), Limit("cpu", 1.0, "curl"), MEMORY]

    def address(self, bench):
        return bench.nginx.tls_url(self.source)


def verified_and_synced(command):
    return f'{command} && [ "$(openssl dgst -sha256 -r out | cut -c 1-64)" = "$SHA256" ] && sync out'


class Verified(OneFile):
    name = "verified"
    title = "1 GiB to disk, SHA-256 verified, synced"
    rounds = SCATTERED
    source = "mid.bin"
    size = 1024 * MIB
    on_disk = True
    tools = {
        "swiftget": 'exec "$SWIFTGET" --checksum "sha256:$SHA256" -o out "$URL"',
        "limit": verified_and_synced('"$LIMIT" "$URL" out'),
        "lftp": verified_and_synced('lftp -c "set xfer:buffer-size 1M; get $URL -o out"'),
        "curl": verified_and_synced('curl -sS -o out "$URL"'),
        "aria2c": verified_and_synced('aria2c -q --file-allocation=none -o out "$URL"'),
        "wget2": verified_and_synced('wget2 -q -O out "$URL"'),
        "axel": verified_and_synced('axel -q -n 2 -o out "$URL"'),
    }
    limits = [Limit("wall", 0.65, "best"), MEMORY]


class HeldConnections(OneFile):
    """Serves from throttled.c instead of nginx, with `options`."""

    options = {}

    def prepare(self, bench):
        variables = super().prepare(bench)
        self.server = Throttled(bench.helpers["throttled"], bench.sources.root, **self.options)
        return {**variables, "URL": self.server.url(self.source)}

    def run(self, bench, tool, directory, variables):
        before = self.server.stats()
        figures = super().run(bench, tool, directory, variables)
        after = self.server.stats()
        size = os.path.getsize(bench.sources.path(self.source))
        figures["received"] = (after["body_bytes"] - before["body_bytes"]) / size
        figures["connections"] = after["connections"]
        return figures

    def finish(self, bench):
        self.server.stop()


class Throttle(HeldConnections):
    name = "throttled"
    title = "256 MiB from a server that holds each connection to 8 MiB/s"
    source = "slow.bin"
    size = 256 * MIB
    options = {"rate": 8 * MIB}
    tools = {
        "swiftget": 'exec "$SWIFTGET" -o out "$URL"',
        "aria2c": 'exec aria2c -q -x16 -s16 -k1M --file-allocation=none -o out "$URL"',
        "axel": 'exec axel -q -n 16 -o out "$URL"',
        "lftp": 'exec lftp -c "set xfer:buffer-size 1M; pget -n 16 $URL -o out"',
    }
    limits = [Limit("wall", 1.05, "best"), Limit("connections", 16), MEMORY]


class Crawl(HeldConnections):
    name = "crawl"
    rounds = 3
    title = "64 MiB at 8 MiB/s a connection, one in four at 64 KiB/s"
    source = "crawl.bin"
    size = 64 * MIB
    options = {"rate": 8 * MIB, "slow_one_in": 4, "slow_rate": 64 << 10}
    tools = {
        "swiftget": 'exec "$SWIFTGET" -o out "$URL"',
        "axel": 'exec axel -q -n 16 -o out "$URL"',
        "aria2c": 'exec aria2c -q -x16 -s16 -k1M --file-allocation=none -o out "$URL"',
    }
    limits = [Limit("wall", 0.9, "axel"), Limit("received", 1.02), MEMORY]


class Mirrors(OneFile):
    """Two servers, each with a rate of its own for all its connections together."""

    name = "mirrors"
    title = "128 MiB from two mirrors, 30 and 3 MiB/s"
    source = "mirrored.bin"
    size = 128 * MIB
    rounds = 3
    rates = (30 * MIB, 3 * MIB)
    tools = {
        "swiftget": 'exec "$SWIFTGET" -o out --mirror "$URL2" "$URL"',
        "aria2c": 'exec aria2c -q -x1 -s2 -k1M --file-allocation=none -o out "$URL" "$URL2"',
        "axel": 'exec axel -q -n 16 -o out "$URL" "$URL2"',
    }

    @property
    def limits(self):
        return [Limit("wall", 1.1 * self.size / sum(self.rates)), MEMORY]

    def prepare(self, bench):
        variables = super().prepare(bench)
        self.servers = [
            Throttled(bench.helpers["throttled"], bench.sources.root, total_rate=rate) for rate in self.rates]
        first, second = (server.url(self.source) for server in self.servers)
        return {**variables, "URL": first, "URL2": second}

    def finish(self, bench):
        for server in self.servers:
            server.stop()


class MirrorsSlowFirst(Mirrors):
    name = "mirrors-slow-first"
    title = "The same, the slow one named first"
    rates = (3 * MIB, 30 * MIB)


class MetalinkLiar(Mirrors):
    """A Metalink with pieces; one more mirror serves other bytes of the right length. `honest` is swiftget without it."""

    name = "metalink-liar"
    title = "256 MiB by Metalink from three mirrors of 20 MiB/s, and one that lies"
    source = "pieces.bin"
    size = 256 * MIB
    rate = 20 * MIB
    tools = {
        "swiftget": 'exec "$SWIFTGET" -i "$METALINK"',
        "honest": 'exec "$SWIFTGET" -i "$HONEST"',
        "aria2c": 'exec aria2c -q --no-conf -x1 -s4 -k1M -V --file-allocation=none -M "$METALINK"',
    }
    limits = [Limit("wall", 1.1, "honest"), MEMORY]

    def prepare(self, bench):
        bench.sources.file(f"true/{self.source}", bench.scaled(self.size))
        bench.sources.file(f"false/{self.source}", bench.scaled(self.size))
        roots = [os.path.join(bench.sources.root, name) for name in ("false", "true", "true", "true")]
        self.servers = [Throttled(bench.helpers["throttled"], root, total_rate=self.rate) for root in roots]
        urls = [server.url(self.source) for server in self.servers]
        return {
            "METALINK": self.metalink(bench, "liar.meta4", urls), "HONEST": self.metalink(bench, "honest.meta4", urls[1:]),
        }

    def metalink(self, bench, name, urls):
        """As swiftget writes it for the first URL, with the others beside it."""
        base = urls[0].removesuffix(self.source)
        root = os.path.dirname(bench.sources.path(f"true/{self.source}"))
        command = [bench.options.swiftget, "--write-manifest", "metalink", "--base-url", base, root]
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        lines = "".join(f"<url>{url}</url>" for url in urls)
        with open(bench.path(name), "w") as out:
            out.write(text.replace(f"<url>{urls[0]}</url>", lines))
        return bench.path(name)

    def check(self, bench, directory):
        return differs(os.path.join(directory, self.source), bench.sources.path(f"true/{self.source}"))


class WriteManifest(Workload):
    name = "write-manifest"
    title = "A list of SHA-256 checksums of 64 files, 4 GiB, from memory"
    rounds = 3
    count = 64
    size = 64 * MIB
    tools = {
        "swiftget": 'exec "$SWIFTGET" --write-manifest gnu -o sums "$TREE"',
        "sha256sum": 'cd "$TREE" && exec sha256sum * > "$OLDPWD/sums"',
    }
    limits = [Limit("wall", 0.55, "sha256sum"), MEMORY]

    def prepare(self, bench):
        for number in range(self.count):
            bench.sources.file(f"tree/{number:02d}", bench.scaled(self.size))
        self.expected = None
        return {"TREE": bench.sources.path("tree")}

    def check(self, bench, directory):
        sums = content(os.path.join(directory, "sums"))
        self.expected = self.expected or sums
        return None if sums == self.expected and sums.count(b"\n") == self.count else "other checksums"


class Check(WriteManifest):
    name = "check"
    title = "A check of 64 files, 4 GiB, against their SHA-256, from memory"
    tools = {
        "swiftget": 'cd "$TREE" && exec "$SWIFTGET" --check -i "$SUMS"',
        "sha256sum": 'cd "$TREE" && exec sha256sum --status -c "$SUMS"',
    }
    limits = [Limit("wall", 0.55, "sha256sum"), MEMORY]

    def prepare(self, bench):
        variables = super().prepare(bench)
        with open(bench.path("tree.sums"), "w") as out:
            out.writelines(f"{bench.sources.digest(f'tree/{n:02d}')}  {n:02d}\n" for n in range(self.count))
        return {**variables, "SUMS": bench.path("tree.sums")}

    def check(self, bench, directory):
        return None


class CheckCold(Check):
    name = "check-cold"
    title = "The same, from disk, nothing of it in memory"

    def prepare(self, bench):
        variables = super().prepare(bench)
        shutil.copytree(variables["TREE"], bench.path("tree"))
        return {**variables, "TREE": bench.path("tree")}

    def finish(self, bench):
        shutil.rmtree(bench.path("tree"))

    def before(self, bench, tool, directory, variables):
        os.sync()
        with open("/proc/sys/vm/drop_caches", "w") as out:
            out.write("3")


class FarFile(OneFile):
    name = "far-big"
    title = "128 MiB, 100 ms away"
    source = "far.bin"
    size = 128 * MIB
    rounds = 3
    tools = {
        "swiftget": 'exec "$SWIFTGET" -o out "$URL"',
        "aria2c": 'exec aria2c -q -x16 -s16 -k1M --file-allocation=none -o out "$URL"',
        "lftp": 'exec lftp -c "set xfer:buffer-size 1M; pget -n 16 $URL -o out"',
        "axel": 'exec axel -q -n 16 -o out "$URL"',
        "curl": 'exec curl -sS -o out "$URL"',
    }
    limits = [Limit("wall", 1.0, "best"), MEMORY]

    def prepare(self, bench):
        variables = super().prepare(bench)
        # A window of 1 MiB for each connection is what makes a single one slow over a long way.
        self.server = Throttled(bench.helpers["throttled"], bench.sources.root, rate=10 * MIB)
        self.relay = Relay(bench.helpers["relay"], self.server.port, 100)
        return {**variables, "URL": f"http://127.0.0.1:{self.relay.port}/{self.source}"}

    def finish(self, bench):
        self.relay.stop()
        self.server.stop()


class ManyFiles(Workload):
    """A list of equal small files, by URL and by checksum."""

    count = 20_000
    size = 4096
    directory = "small"
    on_disk = True
    keeps_files = True

    def address(self, bench, name):
        return bench.nginx.url(f"{self.directory}/{name}")

    def prepare(self, bench):
        self.names = bench.sources.directory(self.directory, bench.scaled(self.count), self.size)
        with open(bench.path("small.urls"), "w") as out:
            out.writelines(f"{self.address(bench, name)}\n" for name in self.names)
        with open(bench.path("small.curl"), "w") as out:
            out.writelines(f'url = "{self.address(bench, name)}"\noutput = "{name}"\n' for name in self.names)
        with open(bench.path("SHA256SUMS"), "w") as out:
            out.writelines(f"{bench.sources.digest(self.directory + '/' + name)}  {name}\n" for name in self.names)
        return {
            "LIST": bench.path("small.urls"), "CURL_LIST": bench.path("small.curl"), "SUMS": bench.path("SHA256SUMS"),
            "BASE": self.address(bench, ""),
        }

    def check(self, bench, directory):
        found = set(os.listdir(directory))
        missing = len(self.names) - len(found.intersection(self.names))
        wrong = sum(
            content(os.path.join(directory, name)) != content(bench.sources.path(f"{self.directory}/{name}"))
            for name in self.names if name in found)
        return f"{missing} files missing, {wrong} wrong" if wrong or missing else None


SMALL_PEERS = {
    "curl": 'curl -sS -Z --parallel-max 50 -K "$CURL_LIST"',
    "wget2": 'wget2 -q --robots=off --max-threads=16 -i "$LIST"',
    "aria2c": 'aria2c -q -j16 --file-allocation=none -i "$LIST"',
}


COMPARED = (
    ' && ls | xargs openssl dgst -sha256 -r | cut -c 1-64 > ../sums.txt && cut -c 1-64 "$SUMS" | cmp -s - ../sums.txt'
)


class Small(ManyFiles):
    name = "small"
    title = "20,000 files of 4 KiB, HTTP/1.1, synced"
    rounds = SCATTERED
    tools = {
        "swiftget": 'exec "$SWIFTGET" -i "$LIST"',
        "limit": 'exec "$LIMIT_LIST" "$LIST" safe',
        "threads": 'exec "$LIMIT_LIST" "$LIST" safe 2',
        **{n: c + " && sync -f ." for n, c in SMALL_PEERS.items()},
    }
    limits = [Limit("wall", 1.0, "best"), MEMORY]


class SmallUnsynced(ManyFiles):
    name = "small-nosync"
    title = "20,000 files of 4 KiB, HTTP/1.1, not synced"
    rounds = SCATTERED
    tools = {
        "swiftget": 'exec "$SWIFTGET" --no-sync -i "$LIST"',
        "limit": 'exec "$LIMIT_LIST" "$LIST" named',
        "threads": 'exec "$LIMIT_LIST" "$LIST" named 2',
        **{n: "exec " + c for n, c in SMALL_PEERS.items()},
    }
    limits = [Limit("wall", 1.0, "best"), MEMORY]


class SmallHTTP2(ManyFiles):
    """Without wget2, which loses most of the files where a server ends connections after 1,000 requests."""

    name = "small-h2"
    title = "20,000 files of 4 KiB, HTTPS with HTTP/2, synced"
    rounds = SCATTERED
    tools = {
        "swiftget": 'exec "$SWIFTGET" --cacert "$CA" -i "$LIST"',
        "limit": 'exec "$LIMIT_LIST" "$LIST" safe 1 "$CA"',
        "threads": 'exec "$LIMIT_LIST" "$LIST" safe 2 "$CA"',
        "curl": 'curl -sS -Z --cacert "$CA" --parallel-max 50 -K "$CURL_LIST" && sync -f .',
        "aria2c": 'aria2c -q -j16 --ca-certificate="$CA" --file-allocation=none -i "$LIST" && sync -f .',
    }
    limits = [Limit("wall", 1.05, "best"), MEMORY]

    def address(self, bench, name):
        return bench.nginx.http2_url(f"{self.directory}/{name}")


class Checked(ManyFiles):
    name = "checked"
    title = "2,000 files of 100 KiB, SHA-256 of each verified, to disk, not synced"
    rounds = SCATTERED
    count = 2000
    size = 100 << 10
    directory = "checked"
    tools = {
        "swiftget": 'exec "$SWIFTGET" --no-sync -i "$SUMS" --base-url "$BASE"',
        **{name: command + COMPARED for name, command in SMALL_PEERS.items()},
    }
    limits = [Limit("wall", 0.8, "best"), MEMORY]


class FarSmall(ManyFiles):
    name = "far-small"
    title = "500 files of 20 KiB, 100 ms away, HTTP/1.1"
    window = 32 * MIB
    count = 500
    size = 20 << 10
    directory = "far-small"
    on_disk = False
    keeps_files = False
    rounds = 3
    tools = {
        "swiftget": 'exec "$SWIFTGET" -i "$LIST"',
        "curl": 'exec curl -sS -Z -K "$CURL_LIST"',
        "aria2c": 'exec aria2c -q -j64 -x16 --file-allocation=none -i "$LIST"',
    }
    limits = [Limit("wall", 1.05, "best"), MEMORY]

    def target(self, bench):
        return bench.nginx.plain_port

    def address(self, bench, name):
        return f"http://127.0.0.1:{self.relay.port}/{self.directory}/{name}"

    def prepare(self, bench):
        self.relay = Relay(bench.helpers["relay"], self.target(bench), 100, self.window)
        return super().prepare(bench)

    def finish(self, bench):
        self.relay.stop()


class FarSmallTLS(FarSmall):
    name = "far-small-tls"
    title = "500 files of 20 KiB, 100 ms away, HTTPS"
    tools = {
        "swiftget": 'exec "$SWIFTGET" --cacert "$CA" -i "$LIST"',
        "curl": 'exec curl -sS -Z --cacert "$CA" -K "$CURL_LIST"',
        "aria2c": 'exec aria2c -q -j64 --ca-certificate="$CA" --file-allocation=none -i "$LIST"',
    }
    limits = [Limit("wall", 0.85, "best"), MEMORY]

    def target(self, bench):
        return bench.nginx.http2_port

    def address(self, bench, name):
        return f"https://localhost:{self.relay.port}/{self.directory}/{name}"


class FarSmallWindow(FarSmallTLS):
    name = "far-small-window"
    title = "500 files of 20 KiB, 100 ms away, HTTPS, 1 MiB a round trip and connection"
    window = MIB
    limits = [Limit("wall", 0.9, "best"), MEMORY]


class TwoAllowed(ManyFiles):
    """Errors count from the eleventh answer on: the limit has to be learnt once."""

    name = "limit2"
    title = "200 files of 70 KiB from a server that allows a client two connections"
    count = 200
    size = 70 << 10
    directory = "limited"
    on_disk = False
    keeps_files = False
    rounds = 3
    tools = {
        "swiftget": 'exec "$SWIFTGET" -i "$LIST"',
        "aria2c": 'exec aria2c -q -j2 --file-allocation=none -i "$LIST"',
    }
    limits = [Limit("errors", 0), MEMORY]

    def address(self, bench, name):
        return bench.nginx.limited_url(f"{self.directory}/{name}")

    def run(self, bench, tool, directory, variables):
        before = len(bench.nginx.limited_statuses())
        figures = super().run(bench, tool, directory, variables)
        answers = bench.nginx.limited_statuses()[before:]
        figures["early_errors"] = sum(status != "200" for status in answers[:10])
        figures["errors"] = sum(status not in ("200", "206") for status in answers[10:])
        return figures


class Beside(ManyFiles):
    """Files beside something that keeps swiftget busy, until the last of them has its name. Then the run is killed.

    `alone` is swiftget, too, without the other thing."""

    count = 300
    directory = "beside"
    on_disk = False
    rounds = 3
    seconds = 30
    tools = {"swiftget": 'exec "$SWIFTGET" -q -i "$LIST"', "alone": 'exec "$SWIFTGET" -q -i "$ALONE"'}
    # 0.3 s besides, which `run` takes off.
    limits = [Limit("late", 1.3, "alone"), MEMORY]

    def prepare(self, bench):
        variables = super().prepare(bench)
        with open(variables["LIST"]) as urls, open(bench.path("beside.urls"), "w") as out:
            out.writelines(f"{self.other}{number}\n" for number in range(self.other_count))
            out.write(urls.read())
        return {**variables, "LIST": bench.path("beside.urls"), "ALONE": variables["LIST"]}

    def run(self, bench, tool, directory, variables):
        missing = list(self.names)
        started = time.monotonic()
        process = bench.start(self.tools[tool], directory, variables)
        while missing and process.poll() is None and time.monotonic() - started < self.seconds:
            while missing and os.path.exists(os.path.join(directory, missing[-1])):
                missing.pop()
            time.sleep(0.002)
        seconds = time.monotonic() - started
        process.terminate()
        figures = bench.finish(process)
        figures["wall"] = seconds
        figures["late"] = max(seconds - (0.3 if tool == "swiftget" else 0), 0)
        figures["status"] = 0
        return figures


class BesideSilent(Beside):
    name = "beside-silent"
    title = "300 files behind 100 URLs of a silent host, until the last file"
    other_count = 100

    def prepare(self, bench):
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=1000)
        self.other = f"http://127.0.0.1:{self.listener.getsockname()[1]}/"
        return super().prepare(bench)

    def finish(self, bench):
        self.listener.close()


class BesideRefusing(Beside):
    name = "beside-refusing"
    title = "300 files behind 100 URLs of a host that refuses connections, until the last file"
    other_count = 100

    def prepare(self, bench):
        self.other = f"http://127.0.0.1:{free_port()}/"
        return super().prepare(bench)


class BesideGiant(Beside):
    name = "beside-giant"
    title = "1,000 files beside an existing sparse file of 16 GiB to be hashed, until the last file"
    count = 1000
    size = 20_000
    directory = "beside-giant"
    tools = {
        "swiftget": 'exec "$SWIFTGET" -q -i "$LIST" --base-url "$BASE"',
        "alone": 'exec "$SWIFTGET" -q -i "$ALONE" --base-url "$BASE"',
    }

    def prepare(self, bench):
        variables = ManyFiles.prepare(self, bench)
        with open(variables["SUMS"]) as sums, open(bench.path("giant.sums"), "w") as out:
            out.write(f"{'0' * 64}  giant\n{sums.read()}")
        return {**variables, "LIST": bench.path("giant.sums"), "ALONE": variables["SUMS"]}

    def before(self, bench, tool, directory, variables):
        if tool == "swiftget":
            with open(os.path.join(directory, "giant"), "wb") as file:
                file.truncate(16 << 30)


class Again(ManyFiles):
    """The second run of a command whose first one is not measured. The cache of the user stays between the two."""

    tools = {
        "swiftget": 'exec "$SWIFTGET" -i "$LIST"',
        "aria2c": 'exec aria2c -q -j16 -c --file-allocation=none -i "$LIST"',
    }
    name = "again"
    title = "100,000 URLs whose files are all there, again"
    count = 100_000
    size = 1
    directory = "again"
    limits = [Limit("wall", 0.3), Limit("requests", 0), MEMORY]

    def before(self, bench, tool, directory, variables):
        shutil.rmtree(bench.path("cache"), ignore_errors=True)
        figures = bench.measure(self.tools[tool], directory, self.with_cache(bench, variables))
        if figures["status"] != 0:
            raise RuntimeError(f"the first run failed: {figures['status']}")
        os.sync()

    def with_cache(self, bench, variables):
        return {**variables, "XDG_CACHE_HOME": bench.path("cache")}

    def run(self, bench, tool, directory, variables):
        before = bench.nginx.request_count()
        figures = super().run(bench, tool, directory, self.with_cache(bench, variables))
        # The question itself is a request.
        figures["requests"] = bench.nginx.request_count() - before - 1
        return figures


class AgainSums(Again):
    name = "again-sums"
    title = "A checksum list of 100,000 files, all there, again"
    tools = {"swiftget": 'exec "$SWIFTGET" -i "$SUMS" --base-url "$BASE"'}


class Newer(SmallHTTP2):
    """Every file is asked for with a condition and answered with 304; the first run is not measured.

    All have one modification time, which spares curl a condition for each: with `next` it takes minutes for the list.
    """

    name = "newer"
    title = "10,000 files over HTTPS with HTTP/2, all there and unchanged, -N"
    count = 10_000
    directory = "dated"
    rounds = 5
    tools = {
        "swiftget": 'exec "$SWIFTGET" -N --cacert "$CA" -i "$LIST"',
        "curl": 'exec curl -sS -Z --cacert "$CA" --parallel-max 50 -z "Tue, 01 Sep 2026 00:00:00 GMT" -K "$CURL_LIST"',
    }
    limits = [Limit("wall", 1.0, "curl"), MEMORY]

    def prepare(self, bench):
        variables = super().prepare(bench)
        for name in self.names:
            os.utime(bench.sources.path(f"{self.directory}/{name}"), (1788220800, 1788220800))
        return variables

    def before(self, bench, tool, directory, variables):
        figures = bench.measure(SmallHTTP2.tools["swiftget"], directory, variables)
        if figures["status"] != 0:
            raise RuntimeError(f"the first run failed: {figures['status']}")
        os.sync()


class LongList(Workload):
    name = "memory"
    title = "A list of 200,000 lines, 64 bytes each, to tmpfs"
    rounds = 1
    count = 200_000
    tools = {"swiftget": 'exec "$SWIFTGET" -i "$LIST"', "curl": 'exec curl -sS -Z -K "$CURL_LIST"'}

    def prepare(self, bench):
        self.lines = bench.scaled(self.count)
        with open(bench.path("long.urls"), "w") as urls, open(bench.path("long.curl"), "w") as pairs:
            for number in range(self.lines):
                url = bench.nginx.url(f"tiny/{number:06d}")
                urls.write(f"{url}\n")
                pairs.write(f'url = "{url}"\noutput = "{number:06d}"\n')
        return {"LIST": bench.path("long.urls"), "CURL_LIST": bench.path("long.curl")}

    def check(self, bench, directory):
        expected = content(bench.sources.path("tiny.bin"))
        names = os.listdir(directory)
        if len(names) != self.lines:
            return f"{len(names)} files"
        for name in names:
            if content(os.path.join(directory, name)) != expected:
                return f"{name} is wrong"
        return None


class FirstOfList(Workload):
    """From the start to the first request, where the run is killed. swiftget checks the whole list before that; aria2
    reads it."""

    rounds = 3
    count = 1_000_000
    seconds = 120
    limits = [Limit("wall", 1.0), MEMORY]

    def prepare(self, bench):
        self.server = FirstRequest()
        random_bits = random.Random(1)
        path = bench.path(self.name)
        with open(path, "w") as out:
            out.write(self.head)
            out.writelines(
                self.entry(f"set{number % 1000:03d}/file-{number:07d}.bin", number, f"{random_bits.getrandbits(256):064x}")
                for number in range(bench.scaled(self.count)))
            out.write(self.tail)
        return {"LIST": path, "BASE": self.server.url("")}

    head = tail = ""

    def entry(self, name, number, digest):
        """The text of a file's entry."""
        raise NotImplementedError

    def run(self, bench, tool, directory, variables):
        started = time.monotonic()
        process = bench.start(self.tools[tool], directory, variables)
        arrived = self.server.wait(process, self.seconds)
        process.terminate()
        figures = bench.finish(process)
        self.server.forget()
        if arrived is None:
            raise RuntimeError(f"no request, status {figures['status']}")
        figures["wall"] = arrived - started
        figures["status"] = 0
        return figures

    def check(self, bench, directory):
        return None

    def finish(self, bench):
        self.server.stop()


class ListOfURLs(FirstOfList):
    name = "list-urls"
    title = "A list of 1,000,000 URLs, until the first request"
    tools = {"swiftget": 'exec "$SWIFTGET" -i "$LIST"', "aria2c": 'exec aria2c -q --file-allocation=none -i "$LIST"'}

    def entry(self, name, number, digest):
        return self.server.url(name) + "\n"


class ListOfChecksums(FirstOfList):
    name = "list-checksums"
    title = "A SHA256SUMS of 1,000,000 files, until the first request"
    tools = {"swiftget": 'exec "$SWIFTGET" -i "$LIST" --base-url "$BASE"'}

    def entry(self, name, number, digest):
        return f"{digest}  {name}\n"


class ListInCSV(FirstOfList):
    name = "list-csv"
    title = "A table of 1,000,000 URLs with SHA-256 and size, until the first request"
    tools = {"swiftget": 'exec "$SWIFTGET" -i "$LIST"'}
    head = "url,sha256,size\n"

    def entry(self, name, number, digest):
        return f"{self.server.url(name)},{digest},{number}\n"


class ListInMetalink(FirstOfList):
    name = "list-metalink"
    title = "A Metalink of 1,000,000 files, until the first request"
    rounds = 1
    tools = {
        "swiftget": 'exec "$SWIFTGET" -i "$LIST"', "aria2c": 'exec aria2c -q --file-allocation=none -M "$LIST"',
    }
    # expat alone takes about 1.6 s for it.
    limits = [Limit("wall", 1.0, "aria2c"), MEMORY]
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<metalink xmlns="urn:ietf:params:xml:ns:metalink">\n'
    tail = "</metalink>\n"

    def entry(self, name, number, digest):
        return (
            f'  <file name="{name}">\n    <size>{number}</size>\n    <hash type="sha-256">{digest}</hash>\n'
            f'    <url priority="1">{self.server.url(name)}</url>\n  </file>\n')


class Kill(HeldConnections):
    name = "kill"
    title = "1 GiB, SIGKILL at half of it, then the same command again"
    source = "mid.bin"
    size = 1024 * MIB
    on_disk = True
    rounds = 3
    options = {"total_rate": 200 * MIB}
    tools = {
        "swiftget": 'exec "$SWIFTGET" -o out "$URL"',
        "curl": 'exec curl -sS -C - -o out "$URL"',
        "aria2c": 'exec aria2c -q -c -x16 -s16 -k1M --auto-save-interval=1 --file-allocation=none -o out "$URL"',
    }
    limits = [Limit("received", 1.05), MEMORY]

    def run(self, bench, tool, directory, variables):
        before = self.server.stats()["body_bytes"]
        half = os.path.getsize(bench.sources.path(self.source)) / 2
        first = bench.start(self.tools[tool], directory, variables)
        while first.poll() is None and self.server.stats()["body_bytes"] - before < half:
            time.sleep(0.005)
        first.terminate()
        killed = bench.finish(first)
        figures = bench.measure(self.tools[tool], directory, variables)
        size = os.path.getsize(bench.sources.path(self.source))
        figures["received"] = (self.server.stats()["body_bytes"] - before) / size
        for metric in ("wall", "user", "system", "cpu"):
            figures[metric] += killed[metric]
        figures["rss"] = max(figures["rss"], killed["rss"])
        if killed["signal"] == 0:
            figures["note"] = "it ended before it was killed"
        return figures


WORKLOADS = [
    Big, BigTLS, Verified, Throttle, Crawl, Mirrors, MirrorsSlowFirst, MetalinkLiar, WriteManifest, Check, CheckCold,
    FarFile, FarSmall, FarSmallTLS, FarSmallWindow, TwoAllowed, Small, SmallUnsynced, SmallHTTP2, Checked,
    BesideSilent, BesideRefusing, BesideGiant, Again, AgainSums, Newer, LongList, ListOfURLs, ListOfChecksums,
    ListInCSV, ListInMetalink, Kill,
]
