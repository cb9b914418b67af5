import TestSupport
import Testing

@Suite(.waiting) struct `Several mirrors` {
  private let place: Workplace

  init() throws { place = try Workplace() }

  private let file = Content.generated(seed: 77, byteCount: 9_000_000)

  private func serving(_ content: Content, bytesPerSecond: Double) throws -> ScriptedServer {
    try ScriptedServer(FileService(["/f": content]) { $0.bytesPerSecondOfServer = bytesPerSecond })
  }

  @Test(arguments: [[6e6, 2e6], [2e6, 6e6]])
  func `bring one file together`(rates: [Double]) throws {
    let servers = try rates.map { try serving(file, bytesPerSecond: $0) }
    let result = try place.run("--mirror", servers[1].url("/f"), servers[0].url("/f"))
    #expect(result.status == 0 && place.holds("f", file) && place.names == ["f"], "\(result.told)")
    for server in servers { #expect(server.bodyBytesSent > file.byteCount / 20, "\(server.bodyBytesSent)") }
    #expect(servers.reduce(0) { $0 + $1.bodyBytesSent } < file.byteCount * 13 / 10)
  }

  @Test func `of different versions are not mixed`() throws {
    let other = Content.generated(seed: 78, byteCount: file.byteCount)
    let younger = FileService(["/f": other]) {
      $0.bytesPerSecondOfServer = 6e6
      $0.lastModified = ("Thu, 02 Jan 2025 10:00:00 GMT", "Fri, 03 Jan 2025 10:00:00 GMT")
    }
    let servers = [try serving(file, bytesPerSecond: 6e6), try ScriptedServer(younger)]
    let result = try place.run("--mirror", servers[1].url("/f"), servers[0].url("/f"))
    #expect(result.status == 0 && place.holds("f", file), "\(result.told)")
    #expect(result.errorText.contains("another version"))
  }

  /// Builds of one day on two mirrors have one length and one date.
  @Test func `of one length and date are not mixed if their entity tags differ or are missing`() throws {
    let other = Content.generated(seed: 78, byteCount: file.byteCount)
    for tag in [FileService.Behaviour.EntityTag.strong, .weak, .none] {
      let servers = try [file, other].map { content in
        try ScriptedServer(
          FileService(["/f": content]) {
            $0.bytesPerSecondOfServer = 6e6
            $0.entityTag = tag
          })
      }
      let result = try place.run("--if-exists", "replace", "--mirror", servers[1].url("/f"), servers[0].url("/f"))
      #expect(result.status == 0 && place.holds("f", file), "\(tag) \(result.told)")
    }
  }

  @Test func `with a wrong one give the right content`() throws {
    let other = Content.generated(seed: 79, byteCount: file.byteCount)
    let servers = [try serving(other, bytesPerSecond: 20e6), try serving(file, bytesPerSecond: 20e6)]
    let digest = try file.hexDigest()
    let result = try place.run(
      "--checksum", "sha256:\(digest)", "--mirror", servers[1].url("/f"), servers[0].url("/f"))
    #expect(result.status == 0 && place.holds("f", file), "\(result.told)")
  }

  @Test func `with a stalled one continue without it`() throws {
    let stalling = try ScriptedServer(FileService(["/f": file]) { $0.stallsAfter = 200_000 })
    let good = try serving(file, bytesPerSecond: 3e6)
    let result = try place.run("--mirror", stalling.url("/f"), good.url("/f"))
    #expect(result.status == 0 && place.holds("f", file), "\(result.told)")
  }
}
