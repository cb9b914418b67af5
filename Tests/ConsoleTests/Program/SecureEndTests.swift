import TestSupport
import Testing

/// Bodies without a length over TLS: what closes without close_notify may have been cut by anybody on the way.
@Suite struct `The end of a TLS connection` {
  private let place: Workplace
  private let server: SecureEndServer

  init() throws {
    place = try Workplace()
    server = try SecureEndServer()
  }

  private func run(_ arguments: String...) throws -> ProgramResult {
    try place.run(
      place.invocation(["--cacert", try TestAuthority.shared().authorityPath, "-t", "3"] + arguments))
  }

  @Test func `cut at the same place each time nothing is published`() throws {
    let result = try run(server.url("/cut"))
    #expect(result.status == 4, "\(result.told)")
    #expect(result.errorText.contains("close_notify"), "\(result.told)")
    #expect(!place.names.contains("cut"), "\(place.names)")
    // The first one, one for the rest, which this server answers with all, and three tries.
    #expect(server.requests.count <= 5, "\(server.requests)")
  }

  @Test func `with close_notify it is published after it was confirmed`() throws {
    let result = try run(server.url("/whole"))
    #expect(result.status == 0 && place.holds("whole", SecureEndServer.content), "\(result.told)")
    #expect(server.requests.count == 2, "\(server.requests)")
  }

  @Test func `on a kept connection it is the same`() throws {
    let result = try run(
      "-j", "1", server.url("/first"), server.url("/cut"), server.url("/first.2"), server.url("/whole"))
    #expect(result.status == 4, "\(result.told)")
    #expect(place.holds("first", .text("first")) && place.holds("whole", SecureEndServer.content), "\(result.told)")
    #expect(!place.names.contains("cut"), "\(place.names)")
  }

  @Test func `a length that is met needs no close_notify`() throws {
    let result = try run(server.url("/length"))
    #expect(result.status == 0 && place.holds("length", SecureEndServer.content), "\(result.told)")
    #expect(server.requests.count == 1, "\(server.requests)")
  }

  @Test func `who asks for it gets what came`() throws {
    let result = try run("--allow-unconfirmed", server.url("/cut"))
    #expect(result.status == 0 && place.names == ["cut"], "\(result.told)")
  }

  @Test func `a digest judges it`() throws {
    let content = SecureEndServer.content
    let wrong = try run("--checksum", "sha256:\(content.hexDigest("sha256"))", server.url("/cut"))
    #expect(wrong.status == 9 && !place.names.contains("cut"), "\(wrong.told)")
  }

  @Test func `through a proxy's own TLS it is the origin's`() throws {
    let authority = try TestAuthority.shared()
    let proxy = try SpawnedProgram(
      "/usr/bin/python3", ["-c", Self.tunnel, authority.certificatePath, authority.keyPath])
    defer { proxy.kill() }
    #expect(eventually { proxy.outputSoFar.hasSuffix("\n") })
    let address = "https://localhost:\(proxy.outputSoFar.dropLast())"
    for (path, status) in [("/cut", 4), ("/whole", 0)] as [(String, Int32)] {
      // The authority of proxies is the system's: a name space of its own has the test's in its place.
      var invocation = try place.invocation(
        ["--cacert", authority.authorityPath, "-t", "3", "--proxy", address, server.url(path)])
      let script =
        "mount --bind \(authority.authorityPath) /etc/ssl/certs/ca-certificates.crt || exit 77; exec \"$0\" \"$@\""
      invocation.arguments = ["--mount", "sh", "-c", script, invocation.path] + invocation.arguments
      invocation.path = "/usr/bin/unshare"
      let result = try place.run(invocation)
      if result.status == 77 || result.errorText.contains("unshare failed") {
        return print("not run, for unshare is not permitted here: \(result.errorText)")
      }
      #expect(result.status == status, "\(path): \(result.told)")
    }
    #expect(place.names.contains("whole") && !place.names.contains("cut"), "\(place.names)")
    #expect(proxy.errorSoFar.isEmpty, "\(proxy.errorSoFar)")
  }

  /// An HTTPS proxy: CONNECT, then bytes in both directions; its own TLS always ends with close_notify.
  private static let tunnel = """
    import select, socket, ssl, sys, threading
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[1], sys.argv[2])
    listener = socket.socket(); listener.bind(("127.0.0.1", 0)); listener.listen(16)
    print(listener.getsockname()[1], flush=True)
    def serve(plain):
        # A client may close its connection before everything was sent.
        try: relay(plain)
        except OSError: pass
        finally: plain.close()
    def relay(plain):
        tls = context.wrap_socket(plain, server_side=True)
        head = b""
        while b"\\r\\n\\r\\n" not in head:
            data = tls.recv(65536)
            if not data: return
            head += data
        host, port = head.split(b" ")[1].decode().rsplit(":", 1)
        other = socket.create_connection((host, int(port)))
        tls.sendall(b"HTTP/1.1 200 OK\\r\\n\\r\\n")
        while True:
            ready = [tls] if tls.pending() else select.select([tls, other], [], [], 20)[0]
            if tls in ready:
                data = tls.recv(65536)
                if not data: break
                other.sendall(data)
            if other in ready:
                data = other.recv(65536)
                if not data: break
                tls.sendall(data)
        tls.unwrap()
    while True:
        accepted, _ = listener.accept()
        threading.Thread(target=serve, args=(accepted,), daemon=True).start()
    """
}
