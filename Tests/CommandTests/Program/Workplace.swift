import Glibc
import TestSupport
import Testing

/// An empty directory in which a test runs the program and examines its files.
struct Workplace {
  let directory: TemporaryDirectory
  /// Arguments of every run that asks servers: short pauses between attempts.
  static let patience = ["--retry-wait", "0.05"]

  init(in parent: String? = nil) throws { directory = try TemporaryDirectory(in: parent) }

  func invocation(_ arguments: [String]) throws -> ProgramInvocation {
    let asksServers = !arguments.contains { $0 == "--check" || $0.hasPrefix("--write-manifest") }
    var invocation = ProgramInvocation(try swiftgetPath(), (asksServers ? Self.patience : []) + arguments)
    invocation.directory = directory.path
    invocation.timeLimit = 300
    return invocation
  }

  /// Runs the program to its end in this directory.
  @discardableResult
  func run(_ arguments: String..., input: String? = nil) throws -> ProgramResult {
    var invocation = try invocation(arguments)
    invocation.input = input.map { Array($0.utf8) }
    return try run(invocation)
  }

  func run(_ invocation: ProgramInvocation) throws -> ProgramResult {
    let result = try SpawnedProgram(invocation).wait()
    #expect(!result.timedOut, "still running: \(result.errorText)")
    #expect(result.signal == nil || result.timedOut, "a signal: \(result.errorText)")
    return result
  }

  func start(_ arguments: String...) throws -> SpawnedProgram { try SpawnedProgram(invocation(arguments)) }

  /// Names in the directory, sorted.
  var names: [String] { directory.names() }

  /// Whether the file holds exactly this content.
  func holds(_ name: String, _ content: Content) -> Bool {
    (try? content.firstDifference(inFile: directory.path(name))) == .some(nil) && fileExists(directory.path(name))
  }

  /// Writes a program for the shell, which can be run.
  func script(_ name: String, _ text: String) throws {
    try directory.write(name, "#!/bin/sh\n\(text)\n")
    #expect(chmod(directory.path(name), 0o755) == 0)
  }

  func text(_ name: String) throws -> String { String(decoding: try directory.read(name), as: UTF8.self) }

  func attribute(_ name: String, of file: String) throws -> String? {
    let result = try runProgram(
      "/usr/bin/python3",
      [
        "-c", "import os, sys\ntry: print(os.getxattr(sys.argv[1], sys.argv[2]).decode())\nexcept OSError: sys.exit(1)",
        directory.path(file), name,
      ])
    return result.status == 0 ? String(result.outputText.dropLast()) : nil
  }
}

/// A file that is long enough to be split, and quick to serve.
let mediumFile = Content.generated(seed: 11, byteCount: 6_000_001)
let otherMediumFile = Content.generated(seed: 12, byteCount: 6_000_001)
let longerMediumFile = Content.generated(seed: 13, byteCount: 6_500_003)

extension ProgramResult {
  /// A line about the run for a failed expectation.
  var told: String { "status \(status.map(String.init) ?? "none"): \(errorText)" }
}
