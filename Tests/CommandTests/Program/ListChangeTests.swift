import Glibc
import TestSupport
import Testing

/// A list is read twice. The run stops if the second reading finds other bytes than the first one checked.
@Suite(.waiting) struct `A changed list` {
  private let place: Workplace

  init() throws { place = try Workplace() }

  /// More lines than are kept in memory at a time, so that the run reads on after the list has changed.
  private let lineCount = 2000

  /// Long lines, so that a list is many blocks of the reader.
  private func line(_ number: Int, _ server: ScriptedServer) -> String {
    "\(server.url("/f"))?\(String(repeating: "x", count: 3000))\n  out=\(number)\n"
  }

  enum Change: CaseIterable {
    case cut, cutWithinLine, emptied, grown, otherByte, replacedInPlace
  }

  @Test(arguments: Change.allCases)
  func `during the run is an error that names it`(change: Change) throws {
    let path = place.directory.path("list")
    let hasChanged = Locked(false)
    let server = try ScriptedServer { request in
      hasChanged.withLock { hasChanged in
        if !hasChanged { apply(change, to: path) }
        hasChanged = true
      }
      return FileService(["/f": .text("content")]).steps(for: request)
    }
    try place.directory.write("list", (0..<lineCount).map { line($0, server) }.joined())
    let result = try place.run("-q", "-d", "out", "-j", "2", "-i", "list")
    #expect(result.status == 3, "\(result.told)")
    #expect(result.errorText.contains("list") && result.errorText.contains("changed"), "\(result.told)")
    #expect(result.errorText.contains("run the same command again"), "\(result.told)")
    // No entry is started that the first reading did not check.
    let names = place.directory.names(in: "out").compactMap { Int($0.prefix { $0 != "." }) }
    #expect(names.count < lineCount && names.allSatisfy { (0..<lineCount).contains($0) })
    for request in server.requests { #expect(request.target.utf8.count == 3003, "\(request.target.suffix(10))") }
  }

  private func apply(_ change: Change, to path: String) {
    var status = stat()
    stat(path, &status)
    let size = status.st_size
    let descriptor = open(path, O_RDWR)
    defer { close(descriptor) }
    switch change {
    case .cut: ftruncate(descriptor, size / 4 * 3)
    case .cutWithinLine: ftruncate(descriptor, size / 2 - 1000)
    case .emptied: ftruncate(descriptor, 0)
    case .grown:
      // An entry of the first block once more, under another name.
      let text = "http://127.0.0.1:1/f\n  out=9999\n"
      pwrite(descriptor, text, text.utf8.count, size)
    case .otherByte: pwrite(descriptor, "y", 1, size - 100)
    case .replacedInPlace:
      let bytes = [UInt8](repeating: UInt8(ascii: "\n"), count: size)
      pwrite(descriptor, bytes, bytes.count, 0)
    }
  }

  @Test func `that cannot be read is an error that names it`() throws {
    // A regular file whose first byte cannot be read.
    let result = try place.run("-i", "/proc/self/mem")
    #expect(result.status == 3, "\(result.told)")
    #expect(result.errorText.contains("/proc/self/mem") && result.errorText.contains("Input/output error"))
  }

  /// Calls are counted for each thread: these are the ones of the first thread, before the run.
  @Test(arguments: 1...7)
  func `with a failed read is not a shorter list`(number: Int) throws {
    let server = try ScriptedServer(FileService(["/a": .text("a"), "/b": .text("b")]))
    try place.directory.write("list", "\(server.url("/a"))\n\(server.url("/b"))\n")
    var invocation = try place.invocation(["-i", "list"])
    let list = place.directory.path("list")
    let calls = "read,pread64"
    invocation.arguments =
      [
        "-f", "-qq", "-o", place.directory.path("trace"), "-P", list, "-e", "trace=\(calls)", "-e",
        "inject=\(calls):error=EIO:when=\(number)", invocation.path,
      ] + invocation.arguments
    invocation.path = "/usr/bin/strace"
    // LeakSanitizer does not work in a traced process.
    invocation.environment["ASAN_OPTIONS"] = "detect_leaks=0"
    guard try runProgram("/usr/bin/strace", ["-qq", "-o", "/dev/null", "/bin/true"]).status == 0 else {
      print("not run, for nothing may be traced here")
      return
    }
    let result = try place.run(invocation)
    // Two reads each for the compression, the format, the check and the run.
    #expect(try place.text("trace").contains("INJECTED"), "\(result.told)")
    #expect(result.status == 3, "\(result.told)")
    #expect(result.errorText.contains("cannot read the list list"), "\(result.told)")
  }

  @Test func `that is named twice is read twice from the start`() throws {
    let server = try ScriptedServer(FileService(["/a": .text("a"), "/b": .text("b")]))
    try place.directory.write("one", "\(server.url("/a"))\n")
    try place.directory.write("two", "\(server.url("/b"))\n")
    var invocation = try place.invocation(["-i", "one", "-i", "-"])
    // A file as standard input is read in place.
    invocation.arguments = ["-c", "exec \"$0\" \"$@\" <two", invocation.path] + invocation.arguments
    invocation.path = "/bin/sh"
    let result = try place.run(invocation)
    #expect(result.status == 0 && place.names == ["a", "b", "one", "two"], "\(result.told)")
  }
}
