import Glibc
import TestSupport
import Testing

/// The program on file systems that lack what others have.
@Suite(.waiting) struct `A run on any file system` {
  private static let long = String(repeating: "n", count: 138)
  /// The second and the third one are alike.
  private static let names = ["plain", "Read.bin", "read.BIN", "sub/caf\u{e9}", long, "big"]

  private static func content(_ index: Int) -> Content {
    .generated(seed: UInt64(index), byteCount: index == names.count - 1 ? 3_000_000 : 3000)
  }

  @Test func `has all files or tells why, and transfers nothing twice`() throws {
    var files: [String: Content] = [:]
    for index in Self.names.indices { files["/\(index)"] = Self.content(index) }
    let server = try ScriptedServer(FileService(files))
    for round in 0..<24 {
      let seed = Fuzz.seed &+ UInt64(round)
      var generator = SeededGenerator(seed: seed)
      let system = DrawnFileSystem(using: &generator)
      let hasAlike = Int.random(in: 0..<3, using: &generator) == 0
      let told = "seed \(seed), alike: \(hasAlike), \(system)"
      let place = try Workplace()
      let wanted = Self.names.indices.filter { $0 != 2 || hasAlike }
      try place.directory.write(
        "list", wanted.map { "\(server.url("/\($0)"))\n  out=\(Self.names[$0])\n" }.joined())
      func run() throws -> ProgramResult {
        var invocation = try place.invocation(["-i", "list", "-d", "t"])
        try invocation.fail(system.failingCalls)
        invocation.environment["XDG_CACHE_HOME"] = place.directory.path + "/cache"
        return try place.run(invocation)
      }
      func isWhole(_ index: Int) -> Bool {
        let name = system.folds ? Self.names[index].lowercased() : Self.names[index]
        return place.holds("t/" + name, Self.content(index))
      }
      let first = try run()
      if hasAlike, system.folds {
        #expect(first.status == 2 && first.errorText.contains("one name on this file system"), "\(told): \(first.told)")
        #expect(place.directory.names(in: "t").isEmpty, "\(told)")
        continue
      }
      if let room = system.room, first.status == 3 {
        // What has its name is whole, and nothing else has one.
        let bare = place.directory.names(in: "t").filter { !$0.contains("swiftget") && $0 != "sub" }
        #expect(bare.count <= wanted.count { isWhole($0) }, "\(told), room \(room): \(bare), \(first.told)")
        continue
      }
      #expect(first.status == 0 && wanted.allSatisfy(isWhole), "\(told): \(first.told)")
      #expect(place.directory.names(in: "t").count == wanted.count, "\(told): \(place.directory.names(in: "t"))")
      if system.room != nil { continue }
      let requestCount = server.requests.count
      let second = try run()
      #expect(second.status == 0 && second.errorText.isEmpty, "\(told): \(second.told)")
      #expect(server.requests.count == requestCount, "\(told)")
    }
  }
}
