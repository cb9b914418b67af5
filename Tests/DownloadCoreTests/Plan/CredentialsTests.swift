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
    run: (inout DownloadSettings) -> Void = { $0.usesNetrc = true }
  ) -> String? {
    var settings = DownloadSettings()
    settings.netrcFiles = files
    run(&settings)
    var own = HostSettings()
    host(&own)
    return settings.credentials(
      for: Origin(scheme: .https, host: name, port: 443), userinfo: userinfo, own
    )
    .map { String(decoding: $0.name + [UInt8(ascii: ":")] + $0.password, as: UTF8.self) }
  }

  @Test func `are those of the URL, of the host's settings or of the run`() {
    func user(_ settings: inout DownloadSettings) { (settings.usesNetrc, settings.user) = (true, "r:s") }
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
    #expect(found(nil, run: { ($0.usesNetrc, $0.user) = (true, "c") }) == "c:d")
    #expect(found(nil, host: { $0.user = "c" }) == "c:d")
    // Nobody else's password.
    #expect(found("z") == "z:" && found(nil, name: "g") == nil && found("a", name: "g") == "a:")
  }

  @Test func `are of the file of the host, then of the run`() {
    #expect(found(nil, host: { $0.netrc = .named("n") }) == "x:y")
    #expect(found(nil, host: { $0.netrc = .named("n") }, run: { _ in }) == "x:y")
    #expect(found(nil, run: { ($0.usesNetrc, $0.netrcFile) = (true, "n") }) == "x:y")
    #expect(found(nil, host: { $0.netrc = .usual }, run: { ($0.usesNetrc, $0.netrcFile) = (true, "n") }) == "a:b")
    #expect(found("a", host: { $0.netrc = .named("n") }) == "a:")
  }

  @Test func `are nobody's without a file`() {
    #expect(found(nil, run: { _ in }) == nil && found("a", run: { _ in }) == "a:")
    #expect(found(nil, run: { ($0.usesNetrc, $0.netrcFile) = (true, "absent") }) == nil)
    #expect(
      DownloadSettings().credentials(for: Origin(scheme: .https, host: "h", port: 443), userinfo: nil, nil) == nil)
  }
}
