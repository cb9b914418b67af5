"""The servers that benchmarks download from, and the files they serve, all on 127.0.0.1."""

import hashlib
import json
import os
import select
import signal
import socket
import struct
import subprocess
import time
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
MIB = 1 << 20


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for_port(port, process, seconds=10):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if process.poll() is not None:
            raise SystemExit(f"a server did not start: {process.args}")
        with socket.socket() as s:
            if s.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    raise SystemExit(f"a server does not answer: {process.args}")


def stop(process):
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def build_helpers(directory):
    """Compiles the C programs and returns their paths by name."""
    paths = {}
    libraries = dict.fromkeys(("limit", "limit_list"), ["-lcurl", "-lpthread"])
    for name in ("measure", "reader", "limit", "limit_list", "relay", "throttled"):
        paths[name] = os.path.join(directory, name)
        source = os.path.join(HERE, name + ".c")
        subprocess.run(["cc", "-O2", "-o", paths[name], source, *libraries.get(name, [])], check=True)
    return paths


class Sources:
    """Made on first use, below the servers' root, on tmpfs: no server waits for a disk."""

    def __init__(self, root):
        self.root = root
        self.digests = {}
        os.makedirs(root)

    def path(self, name):
        return os.path.join(self.root, name)

    def file(self, name, size):
        """Random bytes; a number at the start of each 64 KiB keeps any two stretches from being equal."""
        path = self.path(name)
        if not os.path.exists(path):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            block = bytearray(os.urandom(min(size, 32 * MIB)))
            with open(path, "wb") as out:
                for start in range(0, size, len(block)):
                    for offset in range(0, len(block) - 8, 65536):
                        struct.pack_into("<Q", block, offset, start + offset)
                    out.write(memoryview(block)[: min(len(block), size - start)])
        return path

    def digest(self, name):
        if name not in self.digests:
            digest = hashlib.sha256()
            with open(self.path(name), "rb") as source:
                while piece := source.read(MIB):
                    digest.update(piece)
            self.digests[name] = digest.hexdigest()
        return self.digests[name]

    def directory(self, name, count, size):
        """`count` files of `size` bytes each, named by their number."""
        path = self.path(name)
        names = [f"{number:06d}" for number in range(count)]
        if not os.path.exists(path):
            os.makedirs(path)
            for file_name in names:
                with open(os.path.join(path, file_name), "wb") as out:
                    out.write(os.urandom(size))
        return names


class Nginx:
    """Plain HTTP, HTTPS with HTTP/1.1 alone, and HTTPS with HTTP/2. Paths below /tiny/ are all one file of 64 bytes."""

    def __init__(self, work, sources):
        self.plain_port, self.tls_port, self.http2_port = free_port(), free_port(), free_port()
        self.limited_port = free_port()
        self.status_log = os.path.join(work, "limited.log")
        self.authority = os.path.join(work, "ca.pem")
        certificate, key = self.make_certificate(work)
        sources.file("tiny.bin", 64)
        common = f"root {sources.root};\nlocation /tiny/ {{ rewrite ^ /tiny.bin break; }}\n"
        tls = f"ssl_certificate {certificate};\nssl_certificate_key {key};\nssl_protocols TLSv1.3;\n{common}"
        user = "user root;" if os.geteuid() == 0 else ""
        temporary = "".join(
            f"{kind}_temp_path {work}/{kind};\n" for kind in ("proxy", "fastcgi", "uwsgi", "scgi"))
        with open(os.path.join(work, "nginx.conf"), "w") as out:
            out.write(f"""{user}
daemon off;
worker_processes 2;
pid {work}/nginx.pid;
error_log {work}/nginx-error.log;
events {{ worker_connections 1024; }}
http {{
  access_log off;
  sendfile on;
  tcp_nopush on;
  default_type application/octet-stream;
  client_body_temp_path {work}/body;
  {temporary}
  server {{
    listen 127.0.0.1:{self.plain_port};
    {common}
    location = /requests {{ stub_status; }}
  }}
  limit_conn_zone $binary_remote_addr zone=clients:1m;
  limit_conn_status 503;
  log_format status "$status";
  server {{
    listen 127.0.0.1:{self.limited_port};
    {common}
    limit_conn clients 2;
    # A second's worth goes out at once: a tenth of a second for what the benchmark asks for.
    limit_rate 64k;
    access_log {self.status_log} status;
  }}
  server {{ listen 127.0.0.1:{self.tls_port} ssl; {tls} }}
  server {{ listen 127.0.0.1:{self.http2_port} ssl http2; {tls} }}
}}
""")
        path = "/usr/sbin/nginx" if os.path.exists("/usr/sbin/nginx") else "nginx"
        self.process = subprocess.Popen(
            [path, "-p", work, "-c", os.path.join(work, "nginx.conf"), "-e", os.path.join(work, "nginx-error.log")],
            stdin=subprocess.DEVNULL)
        wait_for_port(self.plain_port, self.process)

    def make_certificate(self, work):
        def openssl(*arguments):
            subprocess.run(["openssl", *arguments], check=True, capture_output=True, cwd=work)

        curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
        openssl("req", "-x509", *curve, "-subj", "/CN=benchmark authority", "-days", "2", "-keyout", "ca.key",
                "-out", "ca.pem")
        openssl("req", "-new", *curve, "-subj", "/CN=localhost", "-keyout", "server.key", "-out", "server.csr")
        with open(os.path.join(work, "server.ext"), "w") as out:
            out.write("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
        openssl("x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-set_serial", "2",
                "-days", "2", "-extfile", "server.ext", "-out", "server.pem")
        return os.path.join(work, "server.pem"), os.path.join(work, "server.key")

    def url(self, path):
        return f"http://127.0.0.1:{self.plain_port}/{path}"

    def tls_url(self, path):
        return f"https://localhost:{self.tls_port}/{path}"

    def http2_url(self, path):
        return f"https://localhost:{self.http2_port}/{path}"

    def limited_url(self, path):
        """Two connections for a client at a time; the others are answered with 503."""
        return f"http://127.0.0.1:{self.limited_port}/{path}"

    def limited_statuses(self):
        """Of all answers of the limited server so far, in their order."""
        if not os.path.exists(self.status_log):
            return []
        with open(self.status_log) as file:
            return file.read().split()

    def request_count(self):
        """All requests so far, those of this question left out as long as it is asked in pairs."""
        with urllib.request.urlopen(self.url("requests")) as answer:
            return int(answer.read().split()[9])

    def stop(self):
        stop(self.process)


class Throttled:
    """throttled.c with the given options; see there."""

    def __init__(self, helper, root, **options):
        arguments = [word for name, value in options.items()
                     for word in ("--" + name.replace("_", "-"), str(value))]
        self.process = subprocess.Popen([helper, *arguments, root], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
        self.port = int(self.process.stdout.readline())

    def url(self, path):
        return f"http://127.0.0.1:{self.port}/{path}"

    def stats(self):
        with urllib.request.urlopen(self.url(".stats")) as answer:
            return json.load(answer)

    def stop(self):
        stop(self.process)
        self.process.stdout.close()


class Relay:
    """relay.c in front of a port: a round trip of so many milliseconds, and a window of so many bytes."""

    def __init__(self, helper, port, milliseconds, window=32 << 20):
        self.process = subprocess.Popen(
            [helper, str(port), str(milliseconds), str(window)], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
        self.port = int(self.process.stdout.readline())

    def stop(self):
        stop(self.process)
        self.process.stdout.close()


class FirstRequest:
    """Reads requests and answers none."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.listener.setblocking(False)
        self.port = self.listener.getsockname()[1]
        self.connections = []

    def url(self, path):
        return f"http://127.0.0.1:{self.port}/{path}"

    def wait(self, process, seconds):
        """The time of the first byte of a request; None if the process ends before, or the time is over."""
        end = time.monotonic() + seconds
        while process.poll() is None and time.monotonic() < end:
            for ready in select.select([self.listener, *self.connections], [], [], 0.1)[0]:
                if ready is self.listener:
                    self.connections.append(self.listener.accept()[0])
                elif ready.recv(1):
                    return time.monotonic()
                else:
                    self.connections.remove(ready)
        return None

    def forget(self):
        """Closes the connections of a process that has ended, those too that were not accepted yet."""
        while True:
            try:
                self.connections.append(self.listener.accept()[0])
            except BlockingIOError:
                break
        for connection in self.connections:
            connection.close()
        self.connections = []

    def stop(self):
        self.forget()
        self.listener.close()
