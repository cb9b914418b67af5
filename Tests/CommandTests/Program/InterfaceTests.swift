import TestSupport
import Testing

/// Where connections start, by `--interface`.
@Suite(.waiting) struct `The interface that is named` {
  private let place: Workplace
  private let content = Content.generated(seed: 42, byteCount: 100_000)

  init() throws { place = try Workplace() }

  @Test(arguments: [("--interface", "lo"), ("--interface", "127.0.0.7"), ("--bind-address", "127.0.0.7")])
  func `is used`(option: String, name: String) throws {
    let server = try ScriptedServer(FileService(["/f": content]))
    let result = try place.run(option, name, server.url("/f"))
    #expect(result.status == 0 && place.holds("f", content), "\(result.told)")
  }

  @Test func `fails the file where it cannot be used`() throws {
    let server = try ScriptedServer(FileService(["/f": content]))
    // For documentation (RFC 5737), so no machine has it.
    let result = try place.run("--interface", "192.0.2.1", "-t", "2", "--retry-wait", "1", server.url("/f"))
    #expect(result.status == 4 && place.names.isEmpty && server.requests.isEmpty, "\(result.told)")
  }

  @Test(arguments: ["nosuchif0", "127.0.0.1:80", "example.org", " "])
  func `is one of this machine, or an address`(name: String) throws {
    let result = try place.run("--interface", name, "http://127.0.0.1:1/f")
    #expect(result.status == 2 && result.errorText.contains("--interface"), "\(result.told)")
  }
}
