import TestSupport
import Testing

@testable import CommandMain
@testable import DownloadCore
@testable import DownloadWords

@Suite(.waiting) struct `Files that options name` {
  private static let options: [(String, WritableKeyPath<RunSettings, String?> & Sendable)] = [
    ("--cacert", \.transport.caFile), ("--capath", \.transport.caPath), ("--cert", \.transport.clientCertificate),
    ("--key", \.transport.clientKey),
    ("--proxy-cacert", \.transport.proxyCAFile),
  ]

  private func error(_ settings: RunSettings) -> Failure? {
    do { try CertificateFiles.check(settings) } catch { return error }
    return nil
  }

  @Test func `are missing, of the wrong kind or fine`() throws {
    let directory = try TemporaryDirectory()
    try directory.write("file", "")
    for (option, path) in Self.options {
      var settings = RunSettings()
      settings[keyPath: path] = directory.path("none")
      #expect(error(settings)?.code == .usage)
      let message = error(settings)?.message ?? ""
      #expect(message.hasPrefix("\(option): cannot read ") && message.hasSuffix("none: No such file or directory"))
      settings[keyPath: path] = option == "--capath" ? directory.path("file") : directory.path
      #expect(error(settings)?.message.contains("irectory") == true, "\(option)")
      settings[keyPath: path] = option == "--capath" ? directory.path : directory.path("file")
      #expect(error(settings) == nil, "\(option)")
    }
    #expect(error(RunSettings()) == nil)
  }

  @Test func `are looked at before anything is read or requested`() throws {
    let place = try Workplace()
    let server = try ScriptedServer { _ in [.respond(200)] }
    for option in Self.options.map(\.0) + ["--netrc-file"] {
      let result = try place.run(option, "none.pem", "-i", "none.txt", server.url("/f"))
      #expect(result.status == 2, "\(result.told)")
      #expect(result.errorText.contains("\(option): cannot read none.pem: No such file"), "\(result.told)")
    }
    #expect(server.requests.isEmpty && place.names.isEmpty)
  }
}
