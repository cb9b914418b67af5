"""Draws the live displays of real runs as SVG: picture.py SWIFTGET DIRECTORY

Starts a web server on this machine that limits the rate of each connection, and downloads a checksum list of the server's
files. run-light.svg and run-dark.svg are the terminal in the middle of a run, watch-light.svg and watch-dark.svg that of
`ctl watch` beside a session. Needs Python's standard library and, for `ctl watch`, tmux.
"""

import fcntl
import hashlib
import http.server
import os
import pty
import random
import re
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
from html import escape

COLUMNS, ROWS = 90, 20
# `ctl watch` has the whole terminal.
WATCH_COLUMNS, WATCH_ROWS, WATCH_SECONDS = 110, 14, 2.5
# Bytes per second of one connection.
CONNECTION_RATE = 2_000_000
FILES = {
    "README.txt": 2_100, "disk.img": 150_000_000, "installer.iso": 110_000_000, "manual.pdf": 3_400_000,
    "source.tar.gz": 24_000_000, "symbols.tar.xz": 80_000_000,
}
# Tried first, because it reads well in the picture; any free port will do.
PORT = 8080
CELL, LINE, FONT_SIZE, MARGIN = 8.4, 19, 14, 16
# Background, text, frames of bars, bars.
THEMES = {
    "light": ("#f6f8fa", "#1f2328", "#8c959f", "#2da26f"),
    "dark": ("#161b22", "#e6e8eb", "#8b949e", "#4fb286"),
}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    contents = {}

    def do_GET(self):
        content = self.contents.get(self.path.lstrip("/"))
        if content is None:
            self.send_error(404)
            return
        start, end = 0, len(content)
        wanted = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if wanted and int(wanted[1]) < end:
            start, end = int(wanted[1]), min(end, int(wanted[2]) + 1 if wanted[2] else end)
        self.send_response(206 if wanted else 200)
        if wanted:
            self.send_header("Content-Range", f"bytes {start}-{end - 1}/{len(content)}")
        self.send_header("Content-Length", str(end - start))
        self.send_header("ETag", f'"{len(content):x}"')
        self.end_headers()
        began = time.monotonic()
        position = start
        while position < end:
            part = content[position:min(end, position + 32768)]
            try:
                self.wfile.write(part)
            except OSError:
                self.close_connection = True
                return
            position += len(part)
            time.sleep(max(0, began + (position - start) / CONNECTION_RATE - time.monotonic()))

    def log_message(self, *arguments):
        pass


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 256

    def handle_error(self, request, address):
        pass


def serve(contents):
    Handler.contents = contents
    try:
        server = Server(("127.0.0.1", PORT), Handler)
    except OSError:
        server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


class Screen:
    """A terminal as far as the live display uses one. Rows are never scrolled out."""

    TOKEN = re.compile(r"\x1b\[(\??)(\d*)([A-Za-z])|([\r\n]|\x1b[78])|([^\x1b\r\n]+)")

    def __init__(self):
        self.rows = [[]]
        self.row = self.column = 0
        self.saved = (0, 0)

    def feed(self, text):
        for private, number, final, control, characters in self.TOKEN.findall(text):
            if characters:
                row = self.rows[self.row]
                row.extend(" " * (self.column - len(row)))
                row[self.column:self.column + len(characters)] = characters
                self.column += len(characters)
            elif control == "\r":
                self.column = 0
            elif control == "\x1b7":
                self.saved = (self.row, self.column)
            elif control == "\x1b8":
                self.row, self.column = self.saved
            elif control == "\n" or final == "B":
                self.row += 1
                if self.row == len(self.rows):
                    self.rows.append([])
            elif private or final == "m":
                pass  # ?25 shows or hides the cursor, ?7 turns wrapping on or off.
            elif final == "A":
                self.row = max(0, self.row - int(number or 1))
            elif final in "JK":
                del self.rows[self.row][self.column:]
                if final == "J":
                    del self.rows[self.row + 1:]
            else:
                raise SystemExit(f"picture: unknown escape sequence ESC [ {number}{final}")

    def lines(self):
        lines = ["".join(row).rstrip() for row in self.rows]
        while lines and not lines[-1]:
            lines.pop()
        return lines[-ROWS:]


def record(arguments, directory):
    """Runs the program; returns (seconds, lines) of each frame, and of the screen at the end."""
    terminal, program_side = pty.openpty()
    fcntl.ioctl(program_side, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    environment = {**os.environ, "TERM": "xterm", "LC_ALL": "C.UTF-8"}
    process = subprocess.Popen(
        arguments, cwd=directory, env=environment, stdin=program_side, stdout=program_side, stderr=program_side,
        start_new_session=True)
    os.close(program_side)
    screen, frames, pending, began = Screen(), [], b"", time.monotonic()
    while True:
        try:
            read = os.read(terminal, 65536)
        except OSError:  # EIO: the program has closed its side.
            break
        if not read:
            break
        pending += read
        # A frame ends by showing the cursor.
        *complete, pending = pending.split(b"\x1b[?25h")
        for frame in complete:
            screen.feed(frame.decode())
            frames.append((time.monotonic() - began, screen.lines()))
    os.close(terminal)
    if process.wait() != 0 or not frames:
        raise SystemExit("\n".join([f"picture: the program ended with status {process.returncode}", *screen.lines()]))
    return frames


def drawn_row(line, number, frame, bar):
    """A row of text; each word group has a fixed width, so that columns align in any font. Bars are rectangles."""
    top = MARGIN + number * LINE
    parts = []
    for found in re.finditer(r"▕(█*)( *)▏|█+|▒+|│|[^ ▕▏█▒│]+(?: [^ ▕▏█▒│]+)*", line):
        x = MARGIN + found.start() * CELL
        width = len(found[0]) * CELL
        if found[0][0] == "▕":
            parts.append(
                f'<rect x="{x:.1f}" y="{top + 3}" width="{width:.1f}" height="{LINE - 6}" fill="none" '
                f'stroke="{frame}" stroke-width="1"/>')
            parts.append(
                f'<rect x="{x:.1f}" y="{top + 3}" width="{(len(found[1]) + 1) * CELL:.1f}" height="{LINE - 6}" '
                f'fill="{bar}"/>')
        elif found[0][0] in "█▒":
            opacity = "" if found[0][0] == "█" else ' fill-opacity="0.5"'
            parts.append(
                f'<rect x="{x:.1f}" y="{top + 3}" width="{width:.1f}" height="{LINE - 6}" fill="{bar}"{opacity}/>')
        else:
            parts.append(
                f'<text x="{x:.1f}" y="{top + LINE - 5}" textLength="{width:.1f}">{escape(found[0])}</text>')
    return "".join(parts)


def svg(lines, theme):
    background, color, frame, bar = THEMES[theme]
    columns = max(COLUMNS, *map(len, lines))
    width, height = 2 * MARGIN + columns * CELL, 2 * MARGIN + len(lines) * LINE
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" fill="{color}" '
        f'font-family="ui-monospace, Menlo, Consolas, \'DejaVu Sans Mono\', monospace" font-size="{FONT_SIZE}">',
        f'<rect width="{width:.0f}" height="{height}" rx="8" fill="{background}"/>',
        *(row for number, line in enumerate(lines) if (row := drawn_row(line, number, frame, bar))),
        "</svg>", "",
    ])


def draw(name, lines, directory):
    for theme in THEMES:
        with open(os.path.join(directory, f"{name}-{theme}.svg"), "w") as file:
            file.write(svg(lines, theme))


def middle(frames):
    time = frames[-1][0] / 2
    return min(frames, key=lambda frame: abs(frame[0] - time))[1]


def write_sums(directory, contents):
    with open(os.path.join(directory, "SHA256SUMS"), "w") as sums:
        for name, content in sorted(contents.items()):
            sums.write(f"{hashlib.sha256(content).hexdigest()}  {name}\n")


def run(program, server, contents):
    """The lines of a download in a terminal."""
    with tempfile.TemporaryDirectory() as directory:
        write_sums(directory, contents)
        options = ["-i", "SHA256SUMS", "--base-url", f"http://localhost:{server.server_port}/", "-d", "downloads"]
        frames = record([program, *options], directory)
        for name, content in contents.items():
            with open(os.path.join(directory, "downloads", name), "rb") as file:
                if file.read() != content:
                    raise SystemExit(f"picture: {name} has the wrong content")
    return ["$ swiftget " + " ".join(options), *middle(frames)]


def watch(program, server, contents):
    """The lines of `ctl watch` beside a session that downloads."""
    with tempfile.TemporaryDirectory() as directory:
        write_sums(directory, contents)
        environment = {
            **os.environ, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "HOME": directory, "XDG_STATE_HOME": directory,
            "XDG_RUNTIME_DIR": directory}

        def call(*words, **options):
            return subprocess.run(words, cwd=directory, env=environment, check=True, **options)

        options = ["--base-url", f"http://localhost:{server.server_port}/", "-d", "downloads", "--background"]
        call(program, "-S", "night", "-i", "SHA256SUMS", *options)
        tmux = ["tmux", "-L", f"picture-{os.getpid()}", "-f", "/dev/null"]
        try:
            call(*tmux, "new-session", "-d", "-x", str(WATCH_COLUMNS), "-y", str(WATCH_ROWS), program, "ctl", "-S", "night", "watch")
            time.sleep(WATCH_SECONDS)
            # The first file of the list.
            call(*tmux, "send-keys", *["Up"] * len(contents))
            time.sleep(0.5)
            text = call(*tmux, "capture-pane", "-p", stdout=subprocess.PIPE, text=True).stdout
        finally:
            subprocess.run([*tmux, "kill-server"], env=environment, check=False)
            call(program, "ctl", "-S", "night", "stop")
    return ["$ swiftget ctl -S night watch", *text.rstrip("\n").split("\n")]


# Each scene is a function like `run`; its pictures have its name.
SCENES = {"run": run, "watch": watch}


def main(program, output):
    numbers = random.Random(1)
    contents = {name: numbers.randbytes(size) for name, size in FILES.items()}
    server = serve(contents)
    os.makedirs(output, exist_ok=True)
    for name, scene in SCENES.items():
        lines = scene(os.path.realpath(program), server, contents)
        draw(name, lines, output)
        print("\n".join(lines))
    server.shutdown()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
