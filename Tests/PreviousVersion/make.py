#!/usr/bin/env python3
"""Makes the files of this directory with a released binary: make.py PATH/TO/swiftget [CASE...]

CASE.tar.gz is the directory that a killed run leaves behind. Its file `run` lists the run's arguments, the files that it wanted, and
whether the server sent validators. `PreviousVersionTests` unpacks it and continues the run with the binary under test. The URLs name
hosts that do not exist. Requests go to a proxy, so the URLs are the same for every port of the test's server.
"""
import functools, hashlib, http.server, os, re, shutil, signal, socketserver, subprocess, sys, tempfile, threading, time

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.abspath(sys.argv[1])
RATE = 700_000


def content(name, size):
    """Lines of 64 bytes, all different. PreviousVersionTests has the same function."""
    lines = []
    for number in range((size + 63) // 64):
        lines.append(f'{name} {number:08d} '.ljust(63, '.') + '\n')
    return ''.join(lines).encode()[:size]


@functools.cache
def tag(body):
    """The entity tag that the test's server has for the content: FNV-1a, and the length."""
    value = 0xcbf29ce484222325
    for byte in body:
        value = (value ^ byte) * 0x100000001b3 & 0xffffffffffffffff
    return f'"b{value:x}-{len(body)}"'


class Proxy(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    files, tagged = {}, True

    def log_message(self, *arguments):
        pass

    def do_GET(self):
        name = self.path.rsplit('/', 1)[1].split('?')[0]
        body = self.files.get(name)
        if body is None:
            self.send_response(404)
            self.send_header('Content-Length', '0')
            self.end_headers()
            return
        start, end = 0, len(body)
        asked = re.fullmatch(r'bytes=(\d+)-(\d*)', self.headers.get('Range', ''))
        if asked:
            start = int(asked[1])
            end = min(end, int(asked[2]) + 1) if asked[2] else end
        self.send_response(206 if asked else 200)
        if asked:
            self.send_header('Content-Range', f'bytes {start}-{end - 1}/{len(body)}')
        if self.tagged:
            self.send_header('ETag', tag(body))
            self.send_header('Last-Modified', 'Wed, 01 Jan 2025 10:00:00 GMT')
        self.send_header('Content-Length', str(end - start))
        self.end_headers()
        quiet = len(body) < 100_000
        for offset in range(start, end, 16384):
            self.wfile.write(body[offset:min(end, offset + 16384)])
            if not quiet:
                time.sleep(16384 / RATE)


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True

    def handle_error(self, *arguments):
        pass


def checksum(name):
    return hashlib.sha256(Proxy.files[name]).hexdigest()


def metalink(name, piece=131072):
    body = Proxy.files[name]
    hashes = ''.join(f'<hash>{hashlib.sha256(body[i:i + piece]).hexdigest()}</hash>' for i in range(0, len(body), piece))
    return (f'<?xml version="1.0"?><metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="{name}"><size>{len(body)}</size>'
            f'<hash type="sha-256">{checksum(name)}</hash><pieces length="{piece}" type="sha-256">{hashes}</pieces>'
            f'<url>http://a.example/{name}</url><url>http://b.example/{name}</url></file></metalink>')


SMALL = [f'small-{i}' for i in range(4)]
CASES = {
    # name: (arguments, files wanted, whether the server sends validators, files written before the run)
    'tags': (lambda: ['http://a.example/big-1?part=1'], ['big-1'], True, {}),
    'checksum': (lambda: ['--checksum', 'sha256:' + checksum('big-1'), 'http://a.example/big-1'], ['big-1'], False, {}),
    'mirrors': (lambda: ['--mirror', 'http://b.example/big-2', 'http://a.example/big-2'], ['big-2'], True, {}),
    'pieces': (lambda: ['-i', 'list.meta4'], ['big-3'], False, {'list.meta4': lambda: metalink('big-3')}),
    'list': (lambda: ['-i', 'SHA256SUMS', '--base-url', 'http://a.example/', '-d', 'set'], ['set/' + n for n in SMALL + ['big-1', 'big-2']],
             True, {'SHA256SUMS': lambda: ''.join(f'{checksum(n)}  {n}\n' for n in SMALL + ['big-1', 'big-2'])}),
    'atomic': (lambda: ['-i', 'urls', '-d', 'set', '--atomic'], ['set/' + n for n in SMALL + ['big-3']], True,
               {'urls': lambda: ''.join(f'http://a.example/{n}\n' for n in SMALL + ['big-3'])}),
}


def pack(name, place):
    subprocess.run(['tar', '-czf', os.path.join(HERE, name + '.tar.gz'), '--owner=0', '--group=0', '-C', place, '.'], check=True)


def describe(place, arguments, wanted, tagged):
    lines = [f'argument {a}' for a in arguments] + [f'file {w}' for w in wanted] + ['validators'] * tagged
    open(place + '/run', 'w').write('\n'.join(lines) + '\n')


def command(proxy, *arguments):
    return [PROGRAM, '--no-config', '-q', '--proxy', proxy, *arguments]


def unfinished(proxy, name):
    arguments, wanted, tagged, before = CASES[name]
    Proxy.tagged = tagged
    with tempfile.TemporaryDirectory() as place:
        for file, text in before.items():
            open(os.path.join(place, file), 'w').write(text())
        # The connections of the run are few, so that each record has synced ranges and written ones.
        started = subprocess.Popen(command(proxy, '-x', '1', '-j', '2', *arguments()), cwd=place, env={'HOME': place + '/none'})
        time.sleep(3)
        started.send_signal(signal.SIGKILL)
        assert started.wait() == -signal.SIGKILL, name
        assert any(f.endswith('.swiftget-part') for _, _, fs in os.walk(place) for f in fs), name
        describe(place, arguments(), wanted, tagged)
        pack(name, place)


def finished(proxy):
    """Finished lists with what they left: marks, the index of finished files, a lock file, a list of failures."""
    Proxy.tagged = True
    # An index is kept of lists of at least a thousand files.
    many = [f'f-{number:04d}' for number in range(1000)]
    Proxy.files.update({name: content(name, 64) for name in many})
    with tempfile.TemporaryDirectory() as place:
        def run(status, *arguments):
            done = subprocess.run(command(proxy, *arguments), cwd=place, capture_output=True, env={'HOME': place})
            assert done.returncode == status, done
        open(place + '/urls', 'w').write(''.join(f'http://a.example/{n}\n' for n in SMALL + ['missing']))
        run(8, '-i', 'urls', '-d', 'set', '--failed', 'failed')
        open(place + '/urls', 'w').write(''.join(f'http://a.example/{n}\n' for n in SMALL))
        run(0, '-i', 'urls', '-d', 'set', '--lock', 'lock')
        open(place + '/sums', 'w').write(''.join(f'{checksum(n)}  {n}\n' for n in many))
        run(0, '-i', 'sums', '--base-url', 'http://a.example/', '-d', 'many')
        with open(place + '/marks', 'w') as marks:
            for file in ['set/' + n for n in SMALL[:2]] + ['many/' + n for n in many[:2]]:
                for attribute in sorted(os.listxattr(f'{place}/{file}')):
                    print(file, attribute, os.getxattr(f'{place}/{file}', attribute).decode(), file=marks)
        index, = [os.path.join(p, f) for p, _, fs in os.walk(place + '/.cache') for f in fs if not f.startswith('.')]
        shutil.move(index, place + '/index')
        shutil.rmtree(place + '/.cache')
        for name in many[2:]:
            os.remove(f'{place}/many/{name}')
        pack('finished', place)


def session(proxy):
    """A session whose process was killed: a file and half a file, and what the session keeps of tasks, groups and itself."""
    Proxy.tagged = True
    with tempfile.TemporaryDirectory() as place:
        environment = {'HOME': place + '/none', 'XDG_STATE_HOME': place + '/state'}
        def ctl(*arguments):
            subprocess.run([PROGRAM, 'ctl', '-S', 'night', *arguments], cwd=place, check=True, env=environment, capture_output=True)
        def add(name, *options):
            ctl('add', '--no-config', '--proxy', proxy, '-d', 'state/swiftget/night/data', *options, f'http://a.example/{name}')
        add('small-0')
        add('big-1', '-x', '1', '--checksum', 'sha256:' + checksum('big-1'))
        started = subprocess.Popen([PROGRAM, 'serve', '--no-config', '-q', '-S', 'night', '--max-redirect', '7'], cwd=place, env=environment)
        time.sleep(3)
        started.send_signal(signal.SIGKILL)
        assert started.wait() == -signal.SIGKILL
        assert os.path.exists(place + '/state/swiftget/night/data/small-0')
        add('small-1', '--paused', '--group', 'late', '--priority', '7', '-t', '3')
        add('small-2')
        ctl('cancel', '4')
        ctl('limit', 'jobs=4')
        ctl('limit', 'group:late', 'rate=2M')
        ctl('set', '@session', 'user_agent=before/1')
        ctl('pause', 'group:late')
        pack('session', place)


def main():
    for number in range(1, 4):
        Proxy.files[f'big-{number}'] = content(f'big-{number}', 3_000_000 + number)
    for name in SMALL:
        Proxy.files[name] = content(name, 5_000)
    for body in Proxy.files.values():
        tag(body)
    server = Server(('127.0.0.1', 0), Proxy)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    proxy = f'http://127.0.0.1:{server.server_address[1]}'
    wanted = sys.argv[2:] or [*CASES, 'finished', 'session']
    for name in wanted:
        if name in CASES:
            unfinished(proxy, name)
    if 'finished' in wanted:
        finished(proxy)
    if 'session' in wanted:
        session(proxy)


main()
