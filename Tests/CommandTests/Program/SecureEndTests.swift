import TestSupport
import Testing

/// Close-delimited bodies over TLS. Without close_notify an attacker may have truncated them.
@Suite(.waiting) struct `The end of a TLS connection` {
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

  @Test func `a body that is always cut at one place is not published`() throws {
    let result = try run(server.url("/cut"))
    #expect(result.status == 4, "\(result.told)")
    #expect(result.errorText.contains("close_notify"), "\(result.told)")
    #expect(!place.names.contains("cut"), "\(place.names)")
    // The first request, one for the rest, which this server answers with the whole, and three tries.
    #expect(server.requests.count <= 5, "\(server.requests)")
  }

  @Test func `a body with close_notify is published after a confirmation`() throws {
    let result = try run(server.url("/whole"))
    #expect(result.status == 0 && place.holds("whole", SecureEndServer.content), "\(result.told)")
    #expect(server.requests.count == 2, "\(server.requests)")
  }

  @Test func `the same holds on a kept connection`() throws {
    let result = try run(
      "-j", "1", server.url("/first"), server.url("/cut"), server.url("/first.2"), server.url("/whole"))
    #expect(result.status == 4, "\(result.told)")
    #expect(place.holds("first", .text("first")) && place.holds("whole", SecureEndServer.content), "\(result.told)")
    #expect(!place.names.contains("cut"), "\(place.names)")
  }

  @Test func `a body with a length needs no close_notify`() throws {
    let result = try run(server.url("/length"))
    #expect(result.status == 0 && place.holds("length", SecureEndServer.content), "\(result.told)")
    #expect(server.requests.count == 1, "\(server.requests)")
  }

  @Test func `--allow-unconfirmed accepts the body`() throws {
    let result = try run("--allow-unconfirmed", server.url("/cut"))
    #expect(result.status == 0 && place.names == ["cut"], "\(result.told)")
  }

  @Test func `a digest confirms the body`() throws {
    let content = SecureEndServer.content
    let wrong = try run("--checksum", "sha256:\(content.hexDigest("sha256"))", server.url("/cut"))
    #expect(wrong.status == 9 && !place.names.contains("cut"), "\(wrong.told)")
  }

  @Test func `behind an HTTPS proxy the origin's close_notify counts`() throws {
    let authority = try TestAuthority.shared()
    let proxy = try SpawnedProgram(
      "/usr/bin/python3", ["-c", Self.tunnel, authority.certificatePath, authority.keyPath])
    defer { proxy.kill() }
    #expect(eventually { proxy.outputSoFar.hasSuffix("\n") })
    let address = "https://localhost:\(proxy.outputSoFar.dropLast())"
    for (path, status) in [("/cut", 4), ("/whole", 0)] as [(String, Int32)] {
      let result = try place.run(
        "--cacert", authority.authorityPath, "--proxy-cacert", authority.authorityPath, "-t", "3", "--proxy", address,
        server.url(path))
      #expect(result.status == status, "\(path): \(result.told)")
    }
    #expect(place.names.contains("whole") && !place.names.contains("cut"), "\(place.names)")
    let trusting = try place.run(
      "--cacert", authority.authorityPath, "--proxy-insecure", "--proxy", address, "-o", "again", server.url("/whole"))
    #expect(trusting.status == 0 && place.names.contains("again"), "\(trusting.told)")
    #expect(proxy.errorSoFar.isEmpty, "\(proxy.errorSoFar)")
    // The authority of the servers is not that of proxies.
    let refused = try place.run(
      "--cacert", authority.authorityPath, "-t", "1", "--proxy", address, "-o", "third", server.url("/whole"))
    #expect(refused.status == 5 && !place.names.contains("third"), "\(refused.told)")
  }

  /// An HTTPS proxy with CONNECT. Its own TLS always ends with close_notify.
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
