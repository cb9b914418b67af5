import Glibc

/// A certificate authority for this test run, and its server certificate for `localhost`, 127.0.0.1 and ::1.
///
/// Both keys are EC P-256, created once by the `openssl` command and removed when the process ends.
package struct TestAuthority: Sendable {
  /// PEM files.
  package let authorityPath: String
  package let certificatePath: String
  package let keyPath: String
  private let directory: TemporaryDirectory

  /// - Throws: the error of the first attempt, every time.
  package static func shared() throws -> TestAuthority { try made.get() }

  private static let made = Result {
    let authority = try TestAuthority()
    // A static is never released.
    atexit { TestAuthority.removeShared() }
    return authority
  }

  private static func removeShared() {
    guard let authority = try? made.get() else { return }
    for name in authority.directory.names() { unlink(authority.directory.path(name)) }
    rmdir(authority.directory.path)
  }

  private init() throws {
    directory = try TemporaryDirectory()
    // Servers read it as another user when the tests run as root.
    chmod(directory.path, 0o755)
    authorityPath = directory.path("ca.pem")
    certificatePath = directory.path("server.pem")
    keyPath = directory.path("server.key")
    let curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    try openssl(
      ["req", "-x509"] + curve + [
        "-subj", "/CN=swiftget test authority", "-days", "2", "-keyout", directory.path("ca.key"),
        "-out", authorityPath, "-addext", "keyUsage=critical,keyCertSign,cRLSign",
      ])
    try openssl(
      ["req", "-new"] + curve + [
        "-subj", "/CN=localhost", "-keyout", keyPath, "-out", directory.path("server.csr"),
      ])
    try directory.write(
      "server.ext",
      "basicConstraints=CA:FALSE\nextendedKeyUsage=serverAuth\nsubjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1\n")
    try openssl([
      "x509", "-req", "-in", directory.path("server.csr"), "-CA", authorityPath, "-CAkey", directory.path("ca.key"),
      "-set_serial", "2", "-days", "2", "-extfile", directory.path("server.ext"), "-out", certificatePath,
    ])
  }

  private func openssl(_ arguments: [String]) throws {
    let result = try runProgram("/usr/bin/openssl", arguments)
    guard result.status == 0 else {
      throw TestSupportError("openssl \(arguments.joined(separator: " ")): \(result.errorText)")
    }
  }
}
