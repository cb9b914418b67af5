/// A TLS server that sends bodies without a length over HTTP/2, and with chunks over HTTP/1.1.
///
/// A stream of HTTP/2 whose path has the prefix `/cut` is reset without an error after `cutByteCount` bytes, as some
/// servers and proxies end a stream whose source failed (RFC 9113 section 8.1). Every other path has the whole content.
/// Over HTTP/1.1 the whole content comes, except on the first requests, which a test can have cut or refused.
///
/// The server understands requests as libcurl sends them: nothing of their headers is read but the path.
package final class StreamServer: Sendable {
  package struct Behaviour: Sendable {
    package var speaksHTTP1 = true
    /// Requests over HTTP/1.1 that break off before the last chunk.
    package var cutsOverHTTP1 = 0
    /// The status of every answer over HTTP/1.1.
    package var statusOverHTTP1 = 200

    package init() {}
  }

  package static let cutByteCount = 9000
  package let content: Content
  private let program: SpawnedProgram
  private let directory: TemporaryDirectory
  package let port: Int

  package init(_ content: Content, _ configure: (inout Behaviour) -> Void = { _ in }) throws {
    var behaviour = Behaviour()
    configure(&behaviour)
    self.content = content
    let authority = try TestAuthority.shared()
    directory = try TemporaryDirectory()
    try content.write(to: directory.path("content"))
    program = try SpawnedProgram(
      "/usr/bin/python3",
      [
        "-c", Self.script, authority.certificatePath, authority.keyPath, directory.path("content"),
        "\(Self.cutByteCount)", behaviour.speaksHTTP1 ? "h2 http/1.1" : "h2", "\(behaviour.cutsOverHTTP1)",
        "\(behaviour.statusOverHTTP1)",
      ])
    guard eventually({ [program] in program.outputSoFar.contains("\n") }),
      let port = Int(program.outputSoFar.prefix { $0 != "\n" })
    else { throw TestSupportError("no HTTP/2 server: \(program.errorSoFar)") }
    self.port = port
  }

  deinit { program.kill() }

  package func url(_ path: String) -> String { "https://localhost:\(port)\(path)" }

  /// The requests, as `h2` or `h1`, a blank and the path.
  package var requests: [String] { program.outputSoFar.split(separator: "\n").dropFirst().map { String($0) } }

  private static let script = #"""
    import socket, ssl, struct, sys, threading
    certificate, key, path, cut, protocols, cuts_h1, status_h1 = sys.argv[1:]
    body, cut, cuts_h1 = open(path, "rb").read(), int(cut), int(cuts_h1)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    context.set_alpn_protocols(protocols.split())
    lock = threading.Lock()
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(64)
    print(listener.getsockname()[1], flush=True)

    # The Huffman code of RFC 7541, appendix B, for the characters that paths of the tests have.
    codes = {}
    for text, bits in (("012aceiost", 5), (" %-./3456789=A_bdfghlmnpru", 6), (":BCDEFGHIJKLMNOPQRSTUVWYjkqvwxyz", 7)):
        first = {5: 0, 6: 0b010100, 7: 0b1011100}[bits]
        for index, letter in enumerate(text): codes[format(first + index, "0%db" % bits)] = letter

    def text(data, huffman):
        if not huffman: return data.decode()
        bits, found, start = "".join(format(byte, "08b") for byte in data), "", 0
        for end in range(1, len(bits) + 1):
            letter = codes.get(bits[start:end])
            if letter: found, start = found + letter, end
        return found

    # A literal field whose name is the fourth entry of the static table, `:path`.
    def path_of(block):
        index = 0
        while index < len(block):
            first = block[index]
            if first & 0x80:
                if first == 0x84: return "/"
                index += 1
                continue
            named = first & (0x3f if first & 0x40 else 0x0f)
            index += 1
            if named == (0x0f if not first & 0x40 else 0x3f): index += 1
            for part in range(1 if named else 2):
                length, huffman = block[index] & 0x7f, block[index] >> 7
                value = block[index + 1:index + 1 + length]
                index += 1 + length
            if named == 4: return text(value, huffman)
        return "?"

    def frame(kind, flags, stream, payload=b""):
        return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload

    def exactly(tls, count):
        data = b""
        while len(data) < count:
            more = tls.recv(count - len(data))
            if not more: raise EOFError
            data += more
        return data

    def serve_h2(tls):
        exactly(tls, 24)
        tls.sendall(frame(4, 0, 0))
        window, windows, waiting, initial = [65535], {}, {}, [65535]
        def send(stream):
            content, is_cut = waiting[stream]
            while content:
                count = min(len(content), 16000, window[0], windows[stream])
                if count <= 0:
                    waiting[stream] = (content, is_cut)
                    return
                tls.sendall(frame(0, 0, stream, content[:count]))
                content = content[count:]
                window[0] -= count
                windows[stream] -= count
            del waiting[stream]
            tls.sendall(frame(3, 0, stream, struct.pack(">I", 0)) if is_cut else frame(0, 1, stream))
        while True:
            head = exactly(tls, 9)
            length, kind, flags = int.from_bytes(head[:3], "big"), head[3], head[4]
            stream = int.from_bytes(head[5:], "big") & 0x7fffffff
            payload = exactly(tls, length)
            if kind == 4 and not flags & 1:
                for index in range(0, length, 6):
                    setting, value = struct.unpack(">HI", payload[index:index + 6])
                    if setting == 4: initial[0] = value
                tls.sendall(frame(4, 1, 0))
            elif kind == 6 and not flags & 1: tls.sendall(frame(6, 1, 0, payload))
            elif kind == 8:
                more = int.from_bytes(payload, "big")
                if stream == 0: window[0] += more
                elif stream in windows: windows[stream] += more
                for other in list(waiting): send(other)
            elif kind == 3:
                waiting.pop(stream, None)
            elif kind == 1:
                if flags & 0x20: payload = payload[5:]
                path = path_of(payload)
                print("h2", path, flush=True)
                # `:status` 200 of the static table, and an entity tag without indexing.
                tls.sendall(frame(1, 4, stream, b"\x88\x0f\x13\x03\"a\""))
                windows[stream] = initial[0]
                is_cut = path.startswith("/cut")
                waiting[stream] = (body[:cut] if is_cut else body, is_cut)
                send(stream)

    def serve_h1(tls):
        global cuts_h1
        data = b""
        while True:
            while b"\r\n\r\n" not in data:
                more = tls.recv(65536)
                if not more: return
                data += more
            head, data = data.split(b"\r\n\r\n", 1)
            print("h1", head.split(b" ")[1].decode(), flush=True)
            if status_h1 != "200":
                tls.sendall(b"HTTP/1.1 %s No\r\nContent-Length: 0\r\n\r\n" % status_h1.encode())
                continue
            tls.sendall(b"HTTP/1.1 200 OK\r\nETag: \"a\"\r\nTransfer-Encoding: chunked\r\n\r\n")
            with lock:
                is_cut = cuts_h1 > 0
                cuts_h1 -= 1
            part = body[:cut] if is_cut else body
            tls.sendall(b"%x\r\n%s\r\n" % (len(part), part) + (b"" if is_cut else b"0\r\n\r\n"))
            if is_cut: return

    def serve(plain):
        try:
            tls = context.wrap_socket(plain, server_side=True)
            tls.settimeout(30)
            protocol = tls.selected_alpn_protocol()
            if protocol == "h2": serve_h2(tls)
            elif "http/1.1" in protocols: serve_h1(tls)
        except Exception: pass
        finally:
            try: plain.close()
            except Exception: pass
            try: tls.close()
            except Exception: pass
    while True:
        threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
    """#
}
