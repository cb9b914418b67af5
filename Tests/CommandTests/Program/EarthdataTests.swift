import TestSupport
import Testing

/// The walk of NASA's Earthdata: the host of the files redirects to that of the login, which knows the user by Basic
/// authentication and redirects back, where a cookie is set that opens the files.
@Suite(.waiting) struct `Files behind the login of another host` {
  private let place: Workplace
  private static let content = Content.text("data")

  init() throws { place = try Workplace() }

  @Test func `come with one command, one login, and the password for the host of the login only`() throws {
    let login = try RealServer.nginx {
      $0.speaksTLS = true
      $0.directives = """
        location = /oauth/authorize {
          if ($http_authorization != "Basic bWU6UzNDUjNU") { add_header WWW-Authenticate 'Basic realm=x' always; return 401; }
          return 302 $arg_redirect_uri?code=7&state=$arg_state;
        }
        """
    }
    let data = try RealServer.nginx {
      $0.speaksTLS = true
      $0.directives = """
        location /data/ {
          if ($http_authorization) { return 400; }
          if ($cookie_token != "S3CR3T7") {
            return 302 https://127.0.0.1:\(login.port)/oauth/authorize?state=$uri&redirect_uri=https://localhost:$server_port/login;
          }
        }
        location = /login {
          if ($arg_code != "7") { return 403; }
          add_header Set-Cookie "token=S3CR3T7; Path=/; Secure; HttpOnly";
          return 302 https://localhost:$server_port$arg_state;
        }
        """
    }
    for name in ["a.hdf", "b.hdf", "c.hdf"] { try data.serve("data/\(name)", Self.content) }
    let list = ["a.hdf", "b.hdf", "c.hdf"].map { "https://localhost:\(data.port)/data/\($0)\n" }.joined()
    try place.directory.write("urls.txt", list)
    try place.directory.write("n", "machine 127.0.0.1 login me password S3CR3T\n")
    let trust = ["--cacert", try TestAuthority.shared().authorityPath]
    let result = try place.run(
      place.invocation(
        trust + ["-v", "-j", "1", "--netrc-file", "n", "--save-cookies", "cookies.txt", "-i", "urls.txt", "-d", "d"]))
    #expect(result.status == 0 && place.directory.names(in: "d") == ["a.hdf", "b.hdf", "c.hdf"], "\(result.told)")
    #expect(["a.hdf", "b.hdf", "c.hdf"].allSatisfy { place.holds("d/\($0)", Self.content) })
    #expect(!result.told.contains("S3CR3T"), "\(result.told)")
    #expect(try login.requests().count { $0.status == 302 } == 1)
    // The cookie of this run opens the files for the next one.
    let again = try place.run(
      place.invocation(trust + ["--load-cookies", "cookies.txt", "-i", "urls.txt", "-d", "e"]))
    #expect(again.status == 0 && place.directory.names(in: "e").count == 3, "\(again.told)")
    // Without the password the login page is no file.
    let refused = try place.run(place.invocation(trust + ["-t", "1", "-i", "urls.txt", "-d", "f"]))
    #expect(refused.status == 6 && !fileExists(place.directory.path("f/a.hdf")), "\(refused.told)")
  }
}
