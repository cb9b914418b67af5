import Glibc
import TestSupport
import Testing

/// `--verify-command`.
@Suite(.waiting) struct `A command that judges files` {
  private let place: Workplace
  private let service: FileService
  private let server: ScriptedServer
  private static let small = Content.text("0123456789")
  private static let files: [String: Content] = ["/small": small, "/medium": mediumFile, "/empty": Content.text("")]

  init() throws {
    place = try Workplace()
    service = FileService(Self.files)
    server = try ScriptedServer(service)
  }

  @Test(arguments: ["/small", "/medium", "/empty"])
  func `sees the whole file before it has its name`(path: String) throws {
    let content = try #require(Self.files[path])
    // The target does not exist, and the part file is whole.
    try place.script(
      "judge",
      "[ ! -e t/f ] && cp \"$1\" seen && printf '%s\\n' \"$#\" \"$1\" \"$SWIFTGET_PATH\" \"$SWIFTGET_SIZE\" > told")
    let digest = try content.hexDigest()
    let result = try place.run(
      "--verify-command", "./judge", "-d", "t", "-o", "f", "--checksum", "sha256:\(digest)", server.url(path))
    #expect(result.status == 0 && place.holds("t/f", content) && place.holds("seen", content), "\(result.told)")
    let told = try place.text("told").split(separator: "\n").map(String.init)
    #expect(told.count == 4 && told[0] == "1" && told[1] == told[2] && told[3] == "\(content.byteCount)", "\(told)")
    #expect(told[1].hasPrefix("/") && told[1].hasSuffix("/t/f.swiftget-part"), "\(told)")
    #expect(place.directory.names(in: "t") == ["f"])
  }

  @Test(arguments: ["/small", "/medium", "/empty"])
  func `that rejects a file has it set aside, and not fetched again`(path: String) throws {
    let content = try #require(Self.files[path])
    let result = try place.run("-o", "f", "--verify-command", "sh -c 'exit 3'", server.url(path))
    #expect(result.status == 9 && place.names == ["f.swiftget-bad"], "\(result.told) \(place.names)")
    #expect(result.errorText.contains("the verify command rejects the file: it ended with status 3"), "\(result.told)")
    #expect(place.holds("f.swiftget-bad", content))
    #expect(server.bodyBytesSent <= content.byteCount * 11 / 10)
    let next = try place.run("-o", "f", "--verify-command", "true", server.url(path))
    #expect(next.status == 0 && place.names == ["f"] && place.holds("f", content), "\(next.told)")
  }

  @Test(arguments: ["/small", "/medium"], [false, true])
  func `that writes to a file has it set aside`(path: String, hasDigest: Bool) throws {
    let content = try #require(Self.files[path])
    try place.script("judge", "printf X | dd of=\"$1\" bs=1 seek=2 conv=notrunc 2> /dev/null")
    let digest = hasDigest ? ["--checksum", "sha256:\(try content.hexDigest())"] : []
    let result = try place.run(
      place.invocation(["-o", "f", "--verify-command", "./judge"] + digest + [server.url(path)]))
    #expect(result.status == 9 && place.names == ["f.swiftget-bad", "judge"], "\(result.told) \(place.names)")
    #expect(result.errorText.contains("the verify command changed the file"), "\(result.told)")
  }

  @Test(arguments: [false, true])
  func `that changes a file and restores its time is noticed by the digest`(hasDigest: Bool) throws {
    try place.script(
      "judge",
      "touch -r \"$1\" time && printf X | dd of=\"$1\" bs=1 seek=2 conv=notrunc 2> /dev/null; touch -r time \"$1\"")
    let digest = hasDigest ? ["--checksum", "sha256:\(try Self.small.hexDigest())"] : []
    let result = try place.run(
      place.invocation(["-o", "f", "--verify-command", "./judge"] + digest + [server.url("/small")]))
    #expect(result.status == 9 && !place.names.contains("f"), "\(result.told) \(place.names)")
    #expect(result.errorText.contains("the verify command changed the file"), "\(result.told)")
  }

  @Test(arguments: ["chmod 640 \"$1\"", "ln \"$1\" l && rm l", "touch -a \"$1\"", "cat < \"$1\" > /dev/null"])
  func `may do anything to a file but change its content`(command: String) throws {
    try place.script("judge", command)
    for digest in [[], ["--checksum", "sha256:\(try mediumFile.hexDigest())"]] {
      let result = try place.run(
        place.invocation(
          ["-o", "f", "--if-exists", "replace", "--verify-command", "./judge"] + digest + [server.url("/medium")]))
      #expect(result.status == 0 && place.holds("f", mediumFile) && place.names == ["f", "judge"], "\(result.told)")
    }
  }

  @Test func `decides for each file alone`() throws {
    try place.script("judge", "case $1 in *medium*) exit 1;; esac")
    let result = try place.run("--verify-command", "./judge", server.url("/small"), server.url("/medium"))
    #expect(result.status == 9 && place.names == ["judge", "medium.swiftget-bad", "small"], "\(result.told)")
  }

  @Test func `is not asked about a file that does not match its digest`() throws {
    let digest = try mediumFile.hexDigest()
    let result = try place.run(
      "--verify-command", "touch judged", "--checksum", "sha256:\(digest)", server.url("/small"))
    #expect(result.status == 9 && !place.names.contains("judged"), "\(result.told)")
  }

  @Test func `has the path where braces stand, and never within another word`() throws {
    try place.script("judge", "printf '%s\\n' \"$@\" | sed 's,/.*/,,' > words")
    #expect(try place.run("--verify-command", "./judge a {} b{} {}", server.url("/small")).status == 0)
    #expect(try place.text("words") == "a\nsmall.swiftget-part\nb{}\nsmall.swiftget-part\n")
    #expect(try place.run("--verify-command", "./judge b{}", server.url("/empty")).status == 0)
    #expect(try place.text("words") == "b{}\nempty.swiftget-part\n")
  }

  @Test func `gets awkward names unharmed`() throws {
    let name = Array("-f 'a\"$(touch x)`;".utf8) + [0xff]
    try place.script("judge", "[ -f \"$1\" ] && printf '%s' \"$1\" > name")
    try place.directory.write("list", Array("\(server.url("/small"))\n out=".utf8) + name + [10])
    let result = try place.run("-i", "list", "--verify-command", "./judge")
    #expect(result.status == 0 && !place.names.contains("x"), "\(result.told)")
    let ending = name + Array(".swiftget-part".utf8)
    #expect(try place.directory.read("name").suffix(ending.count + 1) == ([0x2f] + ending)[...])
  }

  @Test func `that cannot be run leaves the part file for the next run`() throws {
    let (command, words) = ("./lost", "No such file")
    try place.directory.write("lost", "#!/nonexistent\n")
    #expect(chmod(place.directory.path("lost"), 0o755) == 0)
    let result = try place.run("--verify-command", command, server.url("/medium"))
    #expect(result.status == 3 && result.errorText.contains(words), "\(result.told)")
    #expect(result.errorText.contains("the verify command (\(command)) cannot be run"))
    #expect(place.names == ["lost", "medium.swiftget", "medium.swiftget-part"])
    let sent = server.bodyBytesSent
    let next = try place.run("--verify-command", "true", server.url("/medium"))
    #expect(next.status == 0 && place.holds("medium", mediumFile), "\(next.told)")
    #expect(server.bodyBytesSent - sent < 100_000)
    let several = try place.run(
      "-d", "t", "--verify-command", "\(command) x", server.url("/small"), server.url("/medium"))
    let recap = "2 files failed: the verify command (\(command)) cannot be run: \(words)"
    #expect(several.status == 3 && several.errorText.contains(recap), "\(several.told)")
  }

  @Test func `is ended by a signal, and asked again by the next run`() throws {
    try place.script("judge", "echo $$ > ready; exec sleep 1000")
    let program = try place.start("--verify-command", "./judge", server.url("/medium"))
    #expect(eventually { (try? place.text("ready").hasSuffix("\n")) == true })
    let judge = try #require(pid_t(try place.text("ready").dropLast()))
    program.kill(SIGINT)
    let result = program.wait()
    #expect(result.status == 130 && place.names.contains("medium.swiftget-part"), "\(result.told)")
    #expect(kill(judge, 0) != 0)
    let sent = server.bodyBytesSent
    let next = try place.run("--verify-command", "true", server.url("/medium"))
    #expect(next.status == 0 && place.holds("medium", mediumFile), "\(next.told)")
    #expect(server.bodyBytesSent - sent < 100_000)
  }

  @Test func `is ended at --max-time`() throws {
    try place.script("judge", "echo $$ > ready; exec sleep 1000")
    let result = try place.run("--max-time", "3", "--verify-command", "./judge", server.url("/small"))
    #expect(result.status == 75 && place.names.contains("small.swiftget-part"), "\(result.told)")
    let judge = try #require(pid_t(try place.text("ready").dropLast()))
    #expect(eventually { kill(judge, 0) != 0 })
  }

  @Test func `does not judge what was there, nor lists`() throws {
    try place.directory.write("small", "0123456789")
    let url = server.url("/small")
    let lists = try ScriptedServer { _ in [.respond(200, body: Array("\(url)\n".utf8))] }
    let result = try place.run("--verify-command", "false", "-i", lists.url("/list"))
    #expect(result.status == 0 && place.names == ["small"], "\(result.told)")
  }

  @Test func `needs a file`() throws {
    let output = try place.run("--verify-command", "true", "-o", "-", server.url("/small"))
    #expect(output.status == 2 && output.outputText.isEmpty, "\(output.told)")
    let device = try place.run("--verify-command", "true", "-o", "/dev/null", server.url("/small"))
    #expect(device.status == 2 && device.errorText.contains("a pipe or a device"), "\(device.told)")
    #expect(server.requests.isEmpty)
  }

  @Test func `runs four at a time`() throws {
    try place.script("judge", "echo >> started; while [ ! -e go ]; do sleep 0.05; done")
    let many = try ScriptedServer { _ in [.respond(200, body: [1])] }
    var invocation = try place.invocation(["-d", "t", "-i", "-", "--verify-command", "./judge"])
    invocation.input = Array((0..<20).map { "\(many.url("/\($0)"))\n" }.joined().utf8)
    let program = try SpawnedProgram(invocation)
    #expect(eventually { many.requests.count == 20 && (try? place.text("started").count) == 4 })
    pause(seconds: 0.5)
    #expect(try place.text("started").count == 4)
    try place.directory.write("go", "")
    let result = program.wait()
    #expect(result.status == 0 && place.directory.names(in: "t").count == 20, "\(result.told)")
    #expect(try place.text("started").count == 20)
  }
}
