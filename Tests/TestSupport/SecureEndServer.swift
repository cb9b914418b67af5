/// A TLS server whose answers end with or without close_notify, depending on the path.
///
/// - `/cut`: half of the body without a length; closed without close_notify.
/// - `/whole`: the whole body without a length; closed with close_notify.
/// - `/length`: the whole body with its length; closed without close_notify.
/// - `/first`: five bytes; the connection is kept.
///
/// All contents have an entity tag. Ranges are ignored.
package final class SecureEndServer: Sendable {
  package static let content = Content.generated(seed: 77, byteCount: 200_000)
  private let program: SpawnedProgram
  private let directory: TemporaryDirectory
  package let port: Int

  package init() throws {
    let authority = try TestAuthority.shared()
    directory = try TemporaryDirectory()
    try Self.content.write(to: directory.path("content"))
    program = try SpawnedProgram(
      "/usr/bin/python3",
      ["-c", Self.script, authority.certificatePath, authority.keyPath, directory.path("content")])
    guard eventually({ [program] in program.outputSoFar.contains("\n") }),
      let port = Int(program.outputSoFar.prefix { $0 != "\n" })
    else { throw TestSupportError("no TLS server: \(program.errorSoFar)") }
    self.port = port
  }

  deinit { program.kill() }

  package func url(_ path: String) -> String { "https://localhost:\(port)\(path)" }

  /// The requested paths, each with the number of its connection.
  package var requests: [String] { program.outputSoFar.split(separator: "\n").dropFirst().map { String($0) } }

  private static let script = """
    import socket, ssl, sys, threading
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[1], sys.argv[2])
    body = open(sys.argv[3], "rb").read()
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(16)
    print(listener.getsockname()[1], flush=True)
    def serve(plain, number):
        try: tls = context.wrap_socket(plain, server_side=True)
        except Exception: return
        tls.settimeout(20)
        data = b""
        try:
            while True:
                while b"\\r\\n\\r\\n" not in data:
                    more = tls.recv(65536)
                    if not more: return
                    data += more
                head, data = data.split(b"\\r\\n\\r\\n", 1)
                path = head.split(b" ")[1].decode()
                print(path, number, flush=True)
                answer = "HTTP/1.1 200 OK\\r\\nETag: \\"a\\"\\r\\n"
                name = path.split("/")[-1].split(".")[0]
                if name == "first":
                    tls.sendall((answer + "Content-Length: 5\\r\\n\\r\\nfirst").encode())
                    continue
                if name == "length": answer += "Content-Length: %d\\r\\n" % len(body)
                tls.sendall((answer + "\\r\\n").encode() + (body[:len(body) // 2] if name == "cut" else body))
                if name == "whole": plain = tls.unwrap()
                return
        except Exception: pass
        finally:
            # Nothing is sent beyond what was: no alert.
            try: tls.shutdown(socket.SHUT_RDWR)
            except Exception: pass
            tls.close()
    number = 0
    while True:
        accepted, _ = listener.accept()
        threading.Thread(target=serve, args=(accepted, number), daemon=True).start()
        number += 1
    """
}
