import DownloadCore
import TestSupport
@testable import DownloadTransport
import Testing

/// A client certificate identifies its user, so it is sent only where credentials are.
@Suite(.waiting) struct `A client certificate` {
  private let files: TemporaryDirectory
  private let client: TestClient

  init() throws {
    files = try TemporaryDirectory()
    client = try TestClient(in: files, password: "pass:word\\")
  }

  /// A server that requests a certificate and answers with its subject.
  private func server(_ directives: String = "", offersHTTP2: Bool = false) throws -> RealServer {
    try RealServer.nginx {
      $0.speaksTLS = true
      $0.offersHTTP2 = offersHTTP2
      $0.directives = """
        \(directives)
        ssl_verify_client optional_no_ca;
        ssl_session_cache shared:sessions:1m;
        location /who { return 200 "[$ssl_client_s_dn]"; }
        """
    }
  }

  private func rig(_ configure: (inout RunSettings) -> Void = { _ in }) throws -> Rig {
    let authority = try TestAuthority.shared().authorityPath
    return Rig {
      $0.transport.caFile = authority
      $0.transport.clientCertificate = client.certificatePath
      $0.secrets.clientKeyPassword = client.password
      configure(&$0)
    }
  }

  private static let named = "[CN=\(TestClient.name)]"

  @Test(arguments: ["TLSv1.2", "TLSv1.3"], [false, true])
  func `is sent to trusted origins only, with any kept connections and sessions`(
    version: String, offersHTTP2: Bool
  ) throws {
    let server = try server("ssl_protocols \(version);", offersHTTP2: offersHTTP2)
    let rig = try rig()
    // Each kind twice in a row and after the other, on kept, shared, resumed and separate connections.
    for isSeparate in [false, true, false] {
      for isTrusted in [true, true, false, false, true, false] {
        let answer = try rig.get(server.url("/who"), isTrusted: isTrusted, isSeparate: isSeparate)
        #expect(answer.text == (isTrusted ? Self.named : "[]"), "\(String(describing: answer.result))")
      }
    }
    // At the same time.
    let recorders = try (0..<12).map { number in
      let recorder = Recorder()
      _ = try rig.start(server.url("/who"), isTrusted: number % 3 == 0, isSeparate: number % 2 == 0, to: recorder)
      return recorder
    }
    #expect(rig.run { recorders.allSatisfy { $0.result != nil } })
    for (number, recorder) in recorders.enumerated() {
      #expect(recorder.text == (number % 3 == 0 ? Self.named : "[]"))
    }
  }

  @Test func `may have its key in a separate file`() throws {
    let rig = try rig {
      $0.transport.clientCertificate = files.path("client.crt")
      $0.transport.clientKey = client.keyPath
    }
    let server = try server()
    #expect(try rig.get(server.url("/who")).text == Self.named)
  }

  @Test(arguments: ["wrong", nil])
  func `whose key cannot be decrypted fails without a prompt`(password: String?) throws {
    let server = try server()
    let rig = try rig { $0.secrets.clientKeyPassword = password }
    guard case .failed(.tlsFiles(let detail)) = try rig.get(server.url("/who")).result else {
      Issue.record("a key that cannot be read was passed over")
      return
    }
    #expect(!detail.contains("pass:word"))
    #expect(try rig.get(server.url("/who"), isTrusted: false).text == "[]")
  }
}
