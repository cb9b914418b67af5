import Glibc
import TestSupport
import Testing

/// `-o` with a path that stands for an open descriptor.
@Suite(.waiting) struct `Output to a descriptor` {
  private let place: Workplace
  private let server: ScriptedServer
  private static let small = Content.generated(seed: 3, byteCount: 3000)

  init() throws {
    place = try Workplace()
    server = try ScriptedServer(FileService(["/small": Self.small, "/big": mediumFile]))
  }

  /// - Parameter command: for a shell; `$S` is the program, `$U` the URL of the server.
  private func shell(_ command: String, _ arguments: [String] = []) throws -> ProgramResult {
    var invocation = ProgramInvocation("/bin/bash", ["-c", command])
    invocation.directory = place.directory.path
    invocation.environment = ["S": "\(try swiftgetPath()) --no-config -q", "U": server.url("")]
    invocation.timeLimit = 60
    return try SpawnedProgram(invocation).wait()
  }

  @Test(arguments: ["small", "big"]) func `goes to that descriptor`(name: String) throws {
    let content = name == "small" ? Self.small : mediumFile
    for (path, redirection) in [
      ("/dev/stdout", ">"), ("/dev/fd/1", "1>"), ("/dev/stderr", "2>"), ("/dev/fd/3", "3>"), ("/proc/self/fd/4", "4>"),
      ("//dev/./fd/5", "5>"),
    ] {
      let result = try shell("$S -o \(path) $U/\(name) \(redirection) out")
      #expect(result.status == 0 && place.holds("out", content) && place.names == ["out"], "\(path): \(result.told)")
    }
    let result = try shell("$S -o >(cat > out2) $U/\(name); for i in 1 2 3 4 5 6 7 8 9; do sleep 0.1; done")
    #expect(result.status == 0 && place.holds("out2", content), "\(result.told)")
  }

  @Test func `keeps its offset and appends where it appends`() throws {
    let result = try shell(
      "(printf before; $S -o /dev/stdout $U/small; printf after) > out; printf old > log; $S -o /dev/fd/3 $U/small 3>> log"
    )
    let small = Self.small.bytes(in: 0..<3000)
    #expect(result.status == 0, "\(result.told)")
    #expect(try place.directory.read("out") == Array("before".utf8) + small + Array("after".utf8))
    #expect(try place.directory.read("log") == Array("old".utf8) + small)
  }

  @Test(arguments: ["/dev/fd/987", "/dev/fd/8", "/dev/stdin"])
  func `fails before anything is asked where it cannot be written to`(path: String) throws {
    // 8 only reads.
    let result = try shell("$S -o \(path) $U/small 8< /dev/null < /dev/null")
    #expect(result.status == 3 && result.errorText.contains("Bad file descriptor"), "\(result.told)")
    #expect(server.requests.isEmpty && place.names.isEmpty)
  }

  @Test func `never means one that the program itself has opened`() throws {
    let numbers = (3...40).map { "\($0)" }.joined(separator: " ")
    let result = try shell(
      "exec \((3...40).map { "\($0)>&-" }.joined(separator: " ")); for i in \(numbers); do $S -o /dev/fd/$i $U/small; echo $?; done"
    )
    #expect(result.outputText == String(repeating: "3\n", count: 38), "\(result.told)")
    #expect(server.requests.isEmpty)
  }

  @Test func `is refused in a list`() throws {
    for (directory, name) in [("/dev", "stdout"), ("/dev/fd", "3"), ("/proc/self/fd", "1"), ("/dev/", "stderr")] {
      try place.directory.write("list", "\(server.url("/small"))\n  out=\(name)\n  dir=\(directory)\n")
      let result = try place.run("-i", "list", "--if-exists", "replace")
      #expect(result.status == 2 && result.errorText.contains("is a descriptor of this process"), "\(result.told)")
    }
    #expect(server.requests.isEmpty)
  }

  @Test func `no link to a device or a descriptor is replaced, and no hint says so`() throws {
    #expect(mkfifo(place.directory.path("pipe"), 0o600) == 0)
    for (name, target) in [("null", "/dev/null"), ("out", "/proc/self/fd/1"), ("tube", "pipe")] {
      #expect(symlink(target, place.directory.path(name)) == 0)
      for arguments in [["-o", name], ["-o", name, "--if-exists", "replace"]] {
        let result = try place.run(place.invocation(arguments + [server.url("/small")]))
        #expect(result.status == 3 && result.errorText.contains("does not write through links"), "\(result.told)")
        #expect(!result.errorText.contains("--if-exists replace"), "\(result.told)")
      }
      try place.directory.write("list", "\(server.url("/small"))\n  out=\(name)\n")
      #expect(try place.run("-i", "list", "--if-exists", "replace").status == 3)
    }
    #expect(symlink("file", place.directory.path("link")) == 0)
    let kept = try place.run("-o", "link", server.url("/small"))
    #expect(kept.status == 3 && !kept.errorText.contains("--if-exists replace"), "\(kept.told)")
    #expect(try place.run("-o", "link", "--if-exists", "replace", server.url("/small")).status == 0)
    #expect(place.holds("link", Self.small))
  }
}
