import Glibc
import TestSupport
import Testing

/// Absolute paths in lists.
@Suite(.waiting) struct `Places outside of the target directory` {
  private let place: Workplace
  /// What lists name with absolute paths.
  private let outside: TemporaryDirectory
  private let server: ScriptedServer
  private static let content = Content.text("content of a")

  init() throws {
    place = try Workplace()
    outside = try TemporaryDirectory()
    server = try ScriptedServer(FileService(["/a": Self.content]))
  }

  /// A list with a checksum, by which a wrong file would be replaced.
  private func lines(_ options: [String]) throws -> String {
    let url = "\(server.url("/a"))#sha256=\(try Self.content.hexDigest())"
    return ([url] + options).joined(separator: "\n  ") + "\n"
  }

  private func object(_ members: String) throws -> String {
    #"{"url": "\#(server.url("/a"))", "checksum": "sha256:\#(try Self.content.hexDigest())", \#(members)}"# + "\n"
  }

  /// Lists that name the file `a` in `outside`.
  private func lists() throws -> [String] {
    [
      try lines(["dir=\(outside.path)"]), try lines(["out=\(outside.path)/a"]),
      try lines(["dir=/", "out=\(outside.path.dropFirst())/a"]), try object("\"dir\": \"\(outside.path)//.\""),
    ]
  }

  private var holds: Bool { (try? outside.read("a")) == Array("content of a".utf8) }

  @Test func `are for lists that are the user's own files`() throws {
    for list in try lists() {
      try place.directory.write("list", list)
      let result = try place.run("-i", "list", "-d", "t")
      #expect(result.status == 0 && holds, "\(list): \(result.told)")
      unlink(outside.path("a"))
      // Nobody knows who wrote these.
      let piped = try ProgramInvocation.shell(
        "cd '\(place.directory.path)' && cat list | '\(try swiftgetPath())' --no-config -d t -i -")
      #expect(piped.status == 2 && piped.errorText.contains("--allow-absolute") || piped.errorText.contains("slash"))
      #expect(piped.status == 2 && !holds && !fileExists(outside.path("a")), "\(list): \(piped.told)")
      let allowed = try ProgramInvocation.shell(
        "cd '\(place.directory.path)' && cat list | '\(try swiftgetPath())' --no-config -d t --allow-absolute -i -")
      #expect(allowed.status == 0 && holds, "\(list): \(allowed.told)")
      unlink(outside.path("a"))
    }
  }

  @Test func `are for lists from URLs with an option only`() throws {
    for list in try lists() {
      let lists = try ScriptedServer(FileService(["/list": .text(list)]))
      let refused = try place.run("-i", lists.url("/list"), "-d", "t")
      #expect(refused.status == 2 && !fileExists(outside.path("a")), "\(list): \(refused.told)")
      let allowed = try place.run("-i", lists.url("/list"), "-d", "t", "--allow-absolute")
      #expect(allowed.status == 0 && holds, "\(list): \(allowed.told)")
      unlink(outside.path("a"))
    }
  }

  @Test(arguments: [[], ["-N"], ["--if-exists", "replace"], ["--if-exists", "verify"]])
  func `keep files that no run has left there`(options: [String]) throws {
    for list in try lists() {
      for text in ["the user's own", "content of b", ""] {
        try outside.write("a", text)
        try place.directory.write("list", list)
        let result = try place.run(place.invocation(options + ["-i", "list", "-d", "t"]))
        #expect(try result.status == 3 && outside.read("a") == Array(text.utf8), "\(list): \(result.told)")
        #expect(result.errorText.contains("hint: move it away, or give its directory with -d"), "\(result.told)")
        guard options.last == "replace" else { continue }
        #expect(try place.run(place.invocation(options + ["-i", "list", "-d", "t", "--dry-run"])).status == 3)
      }
      // The right content is there already, whoever has left it.
      if options != ["--if-exists", "replace"] {
        try outside.write("a", "content of a")
        #expect(try place.run(place.invocation(options + ["-i", "list", "-d", "t"])).status == 0)
      }
    }
    #expect(outside.names() == ["a"])
  }

  @Test func `have files of earlier runs replaced as long as nobody has changed them`() throws {
    try place.directory.write("list", "\(server.url("/a"))\n dir=\(outside.path)\n")
    #expect(try place.run("-i", "list").status == 0)
    let other = Content.text("another version")
    let newer = try ScriptedServer(FileService(["/a": other]))
    let list = "\(newer.url("/a"))#sha256=\(try other.hexDigest())\n dir=\(outside.path)\n"
    try place.directory.write("list", list)
    let result = try place.run("-i", "list")
    #expect(try result.status == 0 && outside.read("a") == Array("another version".utf8), "\(result.told)")
    // With the target directory named by the user, the digest alone decides.
    try outside.write("a", "edited")
    #expect(try place.run("-i", "list").status == 3)
    let inside = try place.run("-i", "list", "-d", outside.path + "/.")
    #expect(try inside.status == 0 && outside.read("a") == Array("another version".utf8), "\(inside.told)")
  }

  @Test func `are no devices`() throws {
    try place.directory.write("list", "\(server.url("/a"))\n dir=/dev\n out=null\n")
    let result = try place.run("-i", "list")
    #expect(result.status == 3 && result.errorText.contains("device"), "\(result.told)")
  }

  @Test(.enabled(if: geteuid() == 0)) func `are not for lists of other users`() throws {
    try place.directory.write("list", try lists()[0])
    #expect(chown(place.directory.path("list"), 12_345, 12_345) == 0)
    let refused = try place.run("-i", "list", "-d", "t")
    #expect(refused.status == 2 && refused.errorText.contains("a list of another user"), "\(refused.told)")
    #expect(try place.run("-i", "list", "-d", "t", "--allow-absolute").status == 0 && holds)
  }
}
