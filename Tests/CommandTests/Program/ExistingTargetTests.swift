import Glibc
import TestSupport
import Testing

@Suite(.waiting) struct `An existing target file` {
  private let place: Workplace
  private let service: FileService
  private let server: ScriptedServer
  private static let files: [String: Content] = ["/f": .text("the content\n"), "/big": mediumFile]

  init() throws {
    place = try Workplace()
    service = FileService(Self.files)
    server = try ScriptedServer(service)
  }

  @Test(arguments: ["/f", "/big"])
  func `the same command again sends no request and prints nothing`(path: String) throws {
    let url = server.url(path)
    let digest = try Self.files[path]!.hexDigest()
    for arguments in [[url], ["--checksum", "sha256:\(digest)", url]] {
      let place = try Workplace()
      #expect(try place.run(place.invocation(arguments)).status == 0)
      let before = server.requests.count
      let result = try place.run(place.invocation(arguments))
      #expect(result.status == 0 && result.errorText.isEmpty && result.output.isEmpty, "\(result.told)")
      #expect(server.requests.count == before)
      let verbose = try place.run(place.invocation(["-v"] + arguments))
      #expect(verbose.status == 0 && verbose.errorText.contains("already there"), "\(verbose.told)")
    }
  }

  @Test func `a right file of another tool is kept after hashing`() throws {
    try mediumFile.write(to: place.directory.path("big"))
    let result = try place.run("--checksum", "sha256:\(try mediumFile.hexDigest())", server.url("/big"))
    #expect(result.status == 0 && result.errorText.isEmpty, "\(result.told)")
    #expect(server.requests.isEmpty)
  }

  @Test func `a file of the same length is kept after one request`() throws {
    try place.directory.write("f", "another one\n")
    let result = try place.run(server.url("/f"))
    #expect(result.status == 0 && result.errorText.isEmpty, "\(result.told)")
    #expect(server.requests.count == 1 && place.holds("f", .text("another one\n")))
  }

  @Test(arguments: ["half", "a much longer content than the server's"])
  func `a file of another length is not overwritten by default`(text: String) throws {
    try place.directory.write("f", text)
    let result = try place.run(server.url("/f"))
    #expect(result.status == 9, "\(result.told)")
    #expect(result.errorText.contains("hint: ") && result.errorText.contains("--if-exists"))
    #expect(place.names == ["f"] && place.holds("f", .text(text)))
  }

  @Test func `a changed file is no longer vouched for`() throws {
    try place.run(server.url("/f"))
    try place.directory.write("f", "changed")
    #expect(try place.run(server.url("/f")).status == 9)
    #expect(place.holds("f", .text("changed")))
  }

  @Test func `--if-exists decides what happens`() throws {
    try place.directory.write("f", "mine")
    let kept = try place.run("--if-exists", "keep", server.url("/f"))
    #expect(kept.status == 0 && place.holds("f", .text("mine")) && server.requests.isEmpty, "\(kept.told)")
    let failed = try place.run("--if-exists", "fail", server.url("/f"))
    #expect(failed.status == 3 && place.holds("f", .text("mine")) && server.requests.isEmpty, "\(failed.told)")
    let replaced = try place.run("--if-exists", "replace", server.url("/f"))
    #expect(replaced.status == 0 && place.holds("f", Self.files["/f"]!), "\(replaced.told)")
    try place.directory.write("f", "mine and")
    let digest = try Self.files["/f"]!.hexDigest()
    let verified = try place.run("--if-exists", "verify", "--checksum", "sha256:\(digest)", server.url("/f"))
    #expect(verified.status == 0 && place.holds("f", Self.files["/f"]!), "\(verified.told)")
  }

  @Test func `--timestamping replaces older files and keeps the others`() throws {
    #expect(try place.run("-N", server.url("/f")).status == 0)
    let before = server.bodyBytesSent
    let same = try place.run("-N", server.url("/f"))
    #expect(same.status == 0 && same.errorText.isEmpty && server.bodyBytesSent == before, "\(same.told)")
    service.change {
      $0.replacements = ["/f": .text("a newer and longer content\n")]
      $0.changesAfter = .requests(0)
    }
    let newer = try place.run("-N", server.url("/f"))
    #expect(newer.status == 0, "\(newer.told)")
    #expect(place.holds("f", .text("a newer and longer content\n")) && place.names == ["f"])
  }

  /// As when an older version is put back.
  @Test func `--timestamping takes a new entity tag for a new version, whatever its date`() throws {
    #expect(try place.run("-N", server.url("/f")).status == 0)
    service.change {
      $0.replacements = ["/f": .text("an older version\n")]
      $0.changesAfter = .requests(0)
      $0.lastModified = ($0.lastModified!.first, "Tue, 31 Dec 2024 10:00:00 GMT")
    }
    let result = try place.run("-N", server.url("/f"))
    #expect(result.status == 0 && place.holds("f", .text("an older version\n")), "\(result.told)")
    // But a file that somebody has edited since is newer.
    try place.directory.write("f", "edited")
    service.change { $0.replacements = ["/f": .text("a third version\n")] }
    let kept = try place.run("-N", server.url("/f"))
    #expect(kept.status == 0 && place.holds("f", .text("edited")), "\(kept.told)")
  }

  @Test func `--timestamping takes no page for a file that had validators`() throws {
    #expect(try place.run(server.url("/f")).status == 0)
    let portal = try ScriptedServer { _ in
      [.respond(200, headers: [("Content-Type", "text/html")], body: Array("<html>".utf8))]
    }
    // The portal answers in the server's place.
    let result = try place.run("-N", "--resolve", "h:80:127.0.0.1", "-o", "f", portal.url("/f"))
    #expect(result.status == 7 && place.holds("f", Self.files["/f"]!), "\(result.told)")
    #expect(result.errorText.contains("neither ETag nor Last-Modified"), "\(result.told)")
  }

  @Test(arguments: [false, true])
  func `--timestamping is not deceived by the date of a truncated file`(isMarked: Bool) throws {
    if isMarked {
      #expect(try place.run("-N", server.url("/f")).status == 0)
    } else {
      try place.directory.write("f", "the content\n")
    }
    #expect(truncate(place.directory.path("f"), 3) == 0)
    // The date of the server's file.
    let time = timeval(tv_sec: 1_735_725_600, tv_usec: 0)
    #expect(utimes(place.directory.path("f"), [time, time]) == 0)
    let before = server.requests.count
    let result = try place.run("-N", server.url("/f"))
    #expect(result.status == 0 && place.holds("f", Self.files["/f"]!), "\(result.told)")
    // The date of a file that does not match its mark is no condition; another one is confirmed by a HEAD.
    #expect(server.requests.count - before == (isMarked ? 1 : 3))
    #expect(server.connectionCount <= (isMarked ? 2 : 1))
  }

  @Test func `--timestamping does not download a file again whose date the file system cannot store`() throws {
    service.change {
      $0.lastModified = ("Fri, 01 Jan 2500 00:00:00 GMT", "Fri, 01 Jan 2500 00:00:00 GMT")
      $0.entityTag = .none
    }
    #expect(try place.run("-N", server.url("/f")).status == 0)
    let sent = server.bodyBytesSent
    let result = try place.run("-N", "--progress", "json", server.url("/f"))
    #expect(result.status == 0 && result.outputText.contains("\"kept\""), "\(result.told)")
    #expect(server.bodyBytesSent - sent <= 100)
  }

  /// As when the URLs of a list change and its names stay.
  @Test(arguments: [("Wed, 01 Jan 2025 10:00:00 GMT", true), ("Thu, 02 Jan 2025 10:00:00 GMT", false)])
  func `a finished file of another URL is kept only if nothing contradicts`(date: String, isKept: Bool) throws {
    let other = Content.text("THE CONTENT\n")
    let second = FileService(["/g": other]) { $0.lastModified = (date, date) }
    let mirror = try ScriptedServer(second)
    #expect(try place.run("-o", "x", server.url("/f")).status == 0)
    let result = try place.run("-o", "x", mirror.url("/g"))
    #expect((result.status == 0) == isKept && place.holds("x", Self.files["/f"]!), "\(result.told)")
    #expect(isKept || result.errorText.contains("from another URL"), "\(result.told)")
    let replaced = try place.run("--if-exists", "replace", "-o", "x", mirror.url("/g"))
    #expect(replaced.status == 0 && place.holds("x", other), "\(replaced.told)")
  }

  @Test func `a wrong file stays until a verified one replaces it`() throws {
    try place.directory.write("big", "the old one")
    let wrong = try place.run("--checksum", "sha256:\(String(repeating: "a", count: 64))", server.url("/big"))
    #expect(wrong.status == 9 && place.holds("big", .text("the old one")), "\(wrong.told)")
    chmod(place.directory.path("big"), 0o640)
    let right = try place.run("--checksum", "sha256:\(try mediumFile.hexDigest())", server.url("/big"))
    #expect(right.status == 0 && place.holds("big", mediumFile), "\(right.told)")
    var status = stat()
    #expect(stat(place.directory.path("big"), &status) == 0 && status.st_mode & 0o777 == 0o640)
  }

  @Test func `a symbolic link is never followed`() throws {
    try place.directory.write("precious", "precious")
    symlink("precious", place.directory.path("f"))
    symlink("dangling-target", place.directory.path("big"))
    let result = try place.run(server.url("/f"), server.url("/big"))
    #expect(result.status == 3, "\(result.told)")
    #expect(place.names == ["big", "f", "precious"] && place.holds("precious", .text("precious")))
    let replaced = try place.run("--if-exists", "replace", server.url("/f"))
    #expect(replaced.status == 0, "\(replaced.told)")
    #expect(place.holds("f", Self.files["/f"]!) && place.holds("precious", .text("precious")))
  }

  @Test(arguments: [".swiftget", ".swiftget-part"])
  func `a symbolic link in place of the part file or the sidecar is not followed`(suffix: String) throws {
    try place.directory.write("precious", "precious")
    symlink("precious", place.directory.path("big\(suffix)"))
    let result = try place.run(server.url("/big"))
    #expect(place.holds("precious", .text("precious")))
    #expect(result.status == 3 || (result.status == 0 && place.holds("big", mediumFile)), "\(result.told)")
  }

  @Test func `a listed name never follows a link out of the directory`() throws {
    let outside = try TemporaryDirectory()
    symlink(outside.path, place.directory.path("sub"))
    try place.directory.write("list", "\(server.url("/f"))\n out=sub/f\n")
    let result = try place.run("-i", "list")
    #expect(result.status == 3 || result.status == 2, "\(result.told)")
    #expect(outside.names().isEmpty)
  }

  @Test func `a directory with the target's name is a failure and stays`() throws {
    try place.directory.makeDirectory("f")
    let result = try place.run(server.url("/f"), server.url("/big"))
    #expect(result.status == 3, "\(result.told)")
    #expect(place.names == ["big", "f"] && place.directory.names(in: "f").isEmpty && place.holds("big", mediumFile))
    #expect(result.errorText.contains("swiftget: f: ") && result.errorText.contains("directory"))
  }

  @Test func `a directory without write permission is reported`() throws {
    guard geteuid() != 0 else { return }
    chmod(place.directory.path, 0o500)
    let result = try place.run(server.url("/f"))
    #expect(result.status == 3 && result.errorText.contains("ermission"), "\(result.told)")
  }
}
