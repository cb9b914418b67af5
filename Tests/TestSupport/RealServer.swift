import Glibc

/// nginx, Apache or nghttpd from Debian, in its own directory and on its own ports, as the user who runs the tests.
///
/// Runs in the foreground and is ended by its process id. Serves `documents`. Does not use or change the system-wide
/// configuration.
package final class RealServer: Sendable {
  /// The configuration of the server.
  package struct Configuration: Sendable {
    package var speaksTLS = false
    /// Offers HTTP/2 besides HTTP/1.1, by ALPN. Not for plain text, where nginx 1.22 cannot offer both.
    package var offersHTTP2 = false
    /// Requests after which the server closes a connection.
    package var requestsPerConnection: Int?
    /// nginx: concurrent connections per client; others get 503.
    package var connectionLimit: Int?
    /// nginx: requests per second, and how many more may come at once; others get 429.
    package var requestRateLimit: (rate: Int, burst: Int)?
    /// nginx: bytes per second of each request (nginx cannot limit connections).
    package var bytesPerSecondOfRequest: Int?
    /// Apache: the realm of Digest authentication for `name` with `pass word`.
    package var digestRealm: String?
    /// Directives for the server block.
    package var directives = ""

    package init() {}
  }

  /// A request as the server logged it.
  package struct LoggedRequest: Sendable {
    package let method: String
    package let target: String
    package let status: Int
    /// Of the body.
    package let byteCount: Int64
    package let range: String?
    /// `HTTP/1.1`, `HTTP/2.0`.
    package let version: String
  }

  package let port: UInt16
  private let isSecure: Bool
  private let prefix: TemporaryDirectory
  private let program: SpawnedProgram

  package static func nginx(_ configure: (inout Configuration) -> Void = { _ in }) throws -> RealServer {
    try start("nginx", configure) { prefix, port, configuration in
      try prefix.write("server.conf", try nginxConfiguration(prefix.path, port, configuration))
      return ["-p", prefix.path, "-c", prefix.path("server.conf"), "-e", prefix.path("error.log")]
    }
  }

  package static func apache(_ configure: (inout Configuration) -> Void = { _ in }) throws -> RealServer {
    try start("apache2", configure) { prefix, port, configuration in
      try prefix.write("server.conf", try apacheConfiguration(prefix.path, port, configuration))
      if let realm = configuration.digestRealm {
        let hash = try runProgram("/bin/sh", ["-c", "printf %s 'name:\(realm):pass word' | md5sum | cut -c 1-32"])
        try prefix.write("users", "name:\(realm):\(hash.outputText)")
        chmod(prefix.path("users"), 0o644)
      }
      return ["-DFOREGROUND", "-d", prefix.path, "-f", prefix.path("server.conf")]
    }
  }

  /// A server that speaks HTTP/2 over TLS only. It logs no requests.
  package static func nghttpd() throws -> RealServer {
    let authority = try TestAuthority.shared()
    return try start("nghttpd", { $0.speaksTLS = true }) { prefix, port, _ in
      ["-a", "127.0.0.1", "-d", prefix.path("documents"), "\(port)", authority.keyPath, authority.certificatePath]
    }
  }

  private static func start(
    _ name: String, _ configure: (inout Configuration) -> Void,
    _ arguments: (TemporaryDirectory, UInt16, Configuration) throws -> [String]
  ) throws -> RealServer {
    var configuration = Configuration()
    configure(&configuration)
    // Another process may have taken the port since it was chosen.
    var lastError: any Error = TestSupportError("\(name) did not start")
    for _ in 0..<3 {
      do {
        let prefix = try TemporaryDirectory()
        chmod(prefix.path, 0o755)
        try prefix.makeDirectory("documents")
        let port = try LoopbackSocket.freePort()
        return try RealServer(name, prefix, port, configuration, arguments(prefix, port, configuration))
      } catch {
        lastError = error
      }
    }
    throw lastError
  }

  private init(
    _ name: String, _ prefix: TemporaryDirectory, _ port: UInt16, _ configuration: Configuration, _ arguments: [String]
  ) throws {
    let candidates = ["/usr/sbin/\(name)", "/usr/local/sbin/\(name)", "/usr/bin/\(name)"]
    guard let path = candidates.first(where: { candidate in access(candidate, X_OK) == 0 }) else {
      throw TestSupportError("\(name) is not installed: make deps")
    }
    self.prefix = prefix
    self.port = port
    isSecure = configuration.speaksTLS
    var invocation = ProgramInvocation(path, arguments)
    invocation.timeLimit = 1800
    program = try SpawnedProgram(invocation)
    let isReady = eventually(within: .seconds(20)) {
      if !program.isRunning { return true }
      guard let descriptor = try? LoopbackSocket.connected(to: port) else { return false }
      close(descriptor)
      return true
    }
    guard isReady && program.isRunning else {
      program.kill(SIGTERM)
      let log = (try? prefix.read("error.log")).map { String(decoding: $0, as: UTF8.self) } ?? ""
      throw TestSupportError("\(name) did not start: \(program.wait().errorText)\(log)")
    }
  }

  deinit { stop() }

  /// Cuts all connections; returns when the server has ended.
  package func stop() {
    program.kill(SIGTERM)
    if !eventually(within: .seconds(10), { !program.isRunning }) { program.kill(SIGKILL) }
    _ = program.wait()
  }

  /// `path` starts with a slash.
  package func url(_ path: String) -> String { "\(isSecure ? "https" : "http")://127.0.0.1:\(port)\(path)" }

  /// The directory with the served files.
  package var documents: String { prefix.path("documents") }

  /// Adds a file to the documents. `name` may contain one directory, which is created.
  package func serve(_ name: String, _ content: Content) throws {
    if let slash = name.lastIndex(of: "/") { mkdir("\(documents)/\(name[..<slash])", 0o755) }
    try content.write(to: "\(documents)/\(name)")
  }

  /// Finished requests, complete or aborted, in the order of their ends.
  package func requests() throws -> [LoggedRequest] {
    try prefix.read("access.log").split(separator: 10).map { line in
      let fields = String(decoding: line, as: UTF8.self).split(separator: "\t", omittingEmptySubsequences: false)
      guard fields.count == 6, let status = Int(fields[2]) else {
        throw TestSupportError("access log: \(String(decoding: line, as: UTF8.self))")
      }
      return LoggedRequest(
        method: String(fields[0]), target: String(fields[1]), status: status, byteCount: Int64(fields[3]) ?? 0,
        range: fields[4] == "-" ? nil : String(fields[4]), version: String(fields[5]))
    }
  }
}

private func nginxConfiguration(
  _ prefix: String, _ port: UInt16, _ configuration: RealServer.Configuration
) throws -> String {
  var server = ""
  var listen = "127.0.0.1:\(port)"
  if configuration.speaksTLS {
    let authority = try TestAuthority.shared()
    listen += " ssl"
    server += "ssl_certificate \(authority.certificatePath);\nssl_certificate_key \(authority.keyPath);\n"
    if !configuration.directives.contains("ssl_protocols") { server += "ssl_protocols TLSv1.2 TLSv1.3;\n" }
  }
  if configuration.offersHTTP2 { listen += " http2" }
  if let count = configuration.requestsPerConnection { server += "keepalive_requests \(count);\n" }
  if let count = configuration.connectionLimit { server += "limit_conn clients \(count);\n" }
  if let limit = configuration.requestRateLimit {
    server += "limit_req zone=requests burst=\(limit.burst) nodelay;\nlimit_req_status 429;\n"
  }
  if let rate = configuration.bytesPerSecondOfRequest { server += "limit_rate \(rate);\n" }
  return """
    daemon off;
    master_process off;
    pid \(prefix)/server.pid;
    error_log \(prefix)/error.log;
    events { worker_connections 1024; }
    http {
      log_format tabs '$request_method\t$request_uri\t$status\t$body_bytes_sent\t$http_range\t$server_protocol';
      access_log \(prefix)/access.log tabs;
      limit_conn_zone $binary_remote_addr zone=clients:1m;
      limit_req_zone $binary_remote_addr zone=requests:1m rate=\(configuration.requestRateLimit?.rate ?? 1)r/s;
      default_type application/octet-stream;
      sendfile on;
      client_body_temp_path \(prefix)/body;
      proxy_temp_path \(prefix)/proxy;
      fastcgi_temp_path \(prefix)/fastcgi;
      uwsgi_temp_path \(prefix)/uwsgi;
      scgi_temp_path \(prefix)/scgi;
      server {
        listen \(listen);
        root \(prefix)/documents;
        \(server)
        \(configuration.directives)
      }
    }
    """
}

private func apacheConfiguration(
  _ prefix: String, _ port: UInt16, _ configuration: RealServer.Configuration
) throws -> String {
  var modules = ["mpm_event", "authz_core"]
  var server = ""
  if configuration.speaksTLS {
    let authority = try TestAuthority.shared()
    modules += ["socache_shmcb", "ssl"]
    server += "SSLEngine on\nSSLCertificateFile \(authority.certificatePath)\n"
    server += "SSLCertificateKeyFile \(authority.keyPath)\n"
  }
  if configuration.offersHTTP2 {
    modules.append("http2")
    server += "Protocols \(configuration.speaksTLS ? "h2" : "h2c") http/1.1\n"
  }
  if let count = configuration.requestsPerConnection { server += "MaxKeepAliveRequests \(count)\n" }
  if let realm = configuration.digestRealm {
    modules += ["authn_core", "authn_file", "authz_user", "auth_digest"]
    server += "<Location />\nAuthType Digest\nAuthName \(realm)\nAuthUserFile \(prefix)/users\n"
    server += "Require valid-user\n</Location>\n"
  }
  let load = modules.map { "LoadModule \($0)_module /usr/lib/apache2/modules/mod_\($0).so" }.joined(separator: "\n")
  return """
    \(load)
    ServerName localhost
    Listen 127.0.0.1:\(port)
    PidFile \(prefix)/server.pid
    Mutex file:\(prefix)
    ErrorLog \(prefix)/error.log
    LogFormat "%m\\t%U%q\\t%>s\\t%B\\t%{Range}i\\t%H" tabs
    CustomLog \(prefix)/access.log tabs
    <IfModule unixd_module>
      User nobody
      Group nogroup
    </IfModule>
    KeepAlive On
    DocumentRoot \(prefix)/documents
    <Directory \(prefix)/documents>
      Require all granted
    </Directory>
    \(server)
    \(configuration.directives)
    """
}
