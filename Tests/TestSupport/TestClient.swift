/// A client certificate and its encrypted private key, made for one test by the `openssl` command.
package struct TestClient {
  /// PEM; the file holds the key, too.
  package let certificatePath: String
  /// The key alone.
  package let keyPath: String
  /// Decrypts the key.
  package let password: String
  /// The subject's common name, as a server sees it.
  package static let name = "swiftget test client"

  /// - Parameter directory: the directory of the files, whose names begin with `client`.
  package init(in directory: TemporaryDirectory, password: String) throws {
    self.password = password
    keyPath = directory.path("client.key")
    certificatePath = directory.path("client.pem")
    let arguments = [
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-passout", "pass:\(password)",
      "-subj", "/CN=\(Self.name)", "-days", "2", "-keyout", keyPath, "-out", directory.path("client.crt"),
    ]
    let result = try runProgram("/usr/bin/openssl", arguments)
    guard result.status == 0 else { throw TestSupportError("openssl: \(result.errorText)") }
    let both = try directory.read("client.crt") + directory.read("client.key")
    try directory.write("client.pem", String(decoding: both, as: UTF8.self))
  }
}
