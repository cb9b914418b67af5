import DownloadCore
import Testing

@Suite struct `The credentials for a host` {
  private let files: [NetrcPlace: NetrcFile]

  init() throws {
    files = [
      .usual: try NetrcFile(
        Array("machine h login a password b machine h login c password d machine any password e".utf8)),
      .named("n"): try NetrcFile(Array("default login x password y".utf8)),
    ]
  }

  /// - Parameter run: of the run's settings.
  private func found(
    _ userinfo: String?, host: (inout HostSettings) -> Void = { _ in }, name: String = "h",
    scheme: Location.Scheme = .https, isNamed: Bool = true,
    run: (inout RunSettings) -> Void = { $0.secrets.usesNetrc = true }
  ) -> String? {
    var settings = RunSettings()
    settings.secrets.netrcFiles = files
    run(&settings)
    var own = HostSettings()
    host(&own)
    return text(settings.secrets.credentials(for: origin(scheme, name), scope(userinfo, isNamed: isNamed), own))
  }

  private func text(_ credentials: Credentials?) -> String? {
    credentials.map { String(decoding: $0.name + [UInt8(ascii: ":")] + $0.password, as: UTF8.self) }
  }

  private func origin(_ scheme: Location.Scheme, _ host: String) -> Origin {
    Origin(scheme: scheme, host: host, port: scheme.usualPort)
  }

  private func scope(_ userinfo: String?, isNamed: Bool = true) -> CredentialScope {
    let location = Location(scheme: .https, host: "h", port: 443, path: "/", query: nil)
    let request = FileRequest(
      task: 0, mirrors: [MirrorURL(location: location, userinfo: userinfo)], target: .standardOutput)
    let asked = isNamed ? location.origin : origin(.https, "elsewhere")
    return CredentialScope(of: request, mirror: 0, at: asked, named: [])
  }

  @Test func `are those of the URL, of the host's settings or of the run`() {
    func user(_ settings: inout RunSettings) {
      (settings.secrets.usesNetrc, settings.secrets.user) = (true, "r:s")
    }
    #expect(found("u:v:w", host: { $0.user = "p:q" }, run: user) == "u:v:w")
    #expect(found(nil, host: { $0.user = "p:q" }, run: user) == "p:q")
    #expect(found(nil, run: user) == "r:s")
    for userinfo in ["a:", ":", ":z"] {
      #expect(found(userinfo) == userinfo && found(userinfo, name: "any") == userinfo)
    }
    #expect(found("a", name: "any") == "a:e")
  }

  @Test func `are those of the netrc file where no password is given`() {
    #expect(found(nil) == "a:b" && found("") == "a:b" && found("c") == "c:d")
    #expect(found(nil, run: { ($0.secrets.usesNetrc, $0.secrets.user) = (true, "c") }) == "c:d")
    #expect(found(nil, host: { $0.user = "c" }) == "c:d")
    // Nobody else's password.
    #expect(found("z") == "z:" && found(nil, name: "g") == nil && found("a", name: "g") == "a:")
  }

  @Test func `are of the file of the host, then of the run`() {
    #expect(found(nil, host: { $0.netrc = .named("n") }) == "x:y")
    #expect(found(nil, host: { $0.netrc = .named("n") }, run: { _ in }) == "x:y")
    #expect(found(nil, run: { ($0.secrets.usesNetrc, $0.secrets.netrcFile) = (true, "n") }) == "x:y")
    #expect(
      found(nil, host: { $0.netrc = .usual }, run: { ($0.secrets.usesNetrc, $0.secrets.netrcFile) = (true, "n") })
        == "a:b")
    #expect(found("a", host: { $0.netrc = .named("n") }) == "a:")
  }

  @Test func `are nobody's without a file`() {
    #expect(found(nil, run: { _ in }) == nil && found("a", run: { _ in }) == "a:")
    #expect(found(nil, run: { ($0.secrets.usesNetrc, $0.secrets.netrcFile) = (true, "absent") }) == nil)
    #expect(RunSettings().secrets.credentials(for: origin(.https, "h"), scope(nil), nil) == nil)
  }

  @Test func `are at a server that nobody named those of its machine, over TLS`() {
    func user(_ settings: inout RunSettings) {
      (settings.secrets.usesNetrc, settings.secrets.user) = (true, "r:s")
    }
    #expect(found("u:v", isNamed: false) == "a:b" && found("c", isNamed: false, run: user) == "a:b")
    #expect(found(nil, scheme: .http, isNamed: false) == nil && found(nil, scheme: .http) == "a:b")
    #expect(found(nil, name: "g", isNamed: false, run: user) == nil)
    // `default` names no machine.
    #expect(found(nil, isNamed: false, run: { ($0.secrets.usesNetrc, $0.secrets.netrcFile) = (true, "n") }) == nil)
    #expect(found(nil, host: { ($0.user, $0.netrc) = ("p:q", .named("n")) }, isNamed: false) == nil)
    #expect(found(nil, host: { $0.netrc = .usual }, isNamed: false, run: { _ in }) == "a:b")
  }
}
