import Glibc
import TestSupport
import Testing

/// Processes without standard descriptors or /proc.
@Suite(.waiting) struct `Restricted environments` {
  private let place: Workplace
  private let server: ScriptedServer

  init() throws {
    place = try Workplace()
    server = try ScriptedServer(FileService(["/f": .text("content"), "/empty": .text("")]))
  }

  private func run(without descriptors: Set<Int32>, _ arguments: [String]) throws -> ProgramResult {
    var invocation = try place.invocation(arguments)
    invocation.closedDescriptors = descriptors
    return try place.run(invocation)
  }

  @Test(
    arguments: [["-o", "-"], ["-o", "/dev/stdout"], ["-o", "/dev/fd/1"], ["--progress", "json"]], ["/f", "/empty"])
  func `a run whose data goes to a closed standard output fails`(options: [String], path: String) throws {
    let result = try run(without: [1], options + [server.url(path)])
    #expect(result.status == 3, "\(result.told)")
    if options != ["-o", "/dev/fd/1"] {
      #expect(result.errorText.contains("standard output is closed"), "\(result.told)")
      // A file for another target is downloaded.
      #expect(server.requests.isEmpty == (options[0] == "-o"))
      #expect(place.names == (options[0] == "-o" ? [] : [String(path.dropFirst())]))
    }
  }

  @Test(arguments: [["--help"], ["-h"], ["--version"], ["--generate", "man"], ["--generate", "bash"]])
  func `help texts are not lost in a closed standard output`(arguments: [String]) throws {
    let result = try run(without: [1], arguments)
    #expect(result.status == 3 && result.errorText.contains("standard output is closed"), "\(result.told)")
  }

  @Test func `standard output open for reading only counts as closed`() throws {
    var invocation = try place.invocation(["-o", "-", server.url("/f")])
    invocation.arguments = ["-c", "exec \"$0\" \"$@\" 1</dev/null", invocation.path] + invocation.arguments
    invocation.path = "/bin/sh"
    let result = try place.run(invocation)
    #expect(result.status == 3 && result.errorText.contains("standard output"), "\(result.told)")
  }

  @Test func `a list on a closed standard input is not an empty list`() throws {
    let result = try run(without: [0], ["-i", "-"])
    #expect(result.status == 3 && result.errorText.contains("standard input"), "\(result.told)")
  }

  @Test func `a download needs none of the three`() throws {
    let result = try run(without: [0, 1, 2], [server.url("/f")])
    #expect(result.status == 0 && place.holds("f", .text("content")), "\(result.told)")
  }

  @Test func `a download with arguments succeeds without /proc`() throws {
    let script = "umount -l /proc && ! [ -e /proc/self ] || exit 77; exec \"$0\" \"$@\""
    func invocation(_ arguments: [String]) throws -> ProgramInvocation {
      var invocation = try place.invocation(arguments)
      invocation.arguments = ["--mount", "/bin/sh", "-c", script, invocation.path] + invocation.arguments
      invocation.path = "/usr/bin/unshare"
      // The dynamic linker needs /proc to find the program's directory.
      invocation.environment["LD_ORIGIN_PATH"] = try productPath("swiftget").split(separator: "/").dropLast()
        .reduce("") { $0 + "/" + $1 }
      return invocation
    }
    let probe = try place.run(invocation(["--version"]))
    guard probe.status != 77, !probe.errorText.contains("unshare: ") else {
      print("not run, for /proc cannot be unmounted here: \(probe.told)")
      return
    }
    // It needs /proc, and reads there that it is to be switched off.
    if probe.errorText.contains("LeakSanitizer") { return print("not run under LeakSanitizer") }
    #expect(probe.status == 0 && probe.outputText.hasPrefix("swiftget "), "\(probe.told)")
    try place.directory.write("list", "\(server.url("/f"))\n out=fünf\n")
    let result = try place.run(invocation(["-v", "-i", "list", "-d", "d", server.url("/f")]))
    #expect(result.status == 0 && place.directory.names(in: "d") == ["f", "fünf"], "\(result.told)")
  }
}
