import Glibc
import TestSupport
import Testing

/// The listing of the public API, its comments, and the programs in the documentation.
@Suite(.waiting) struct `The documentation of the library` {
  private static let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")

  /// The compiler leaves its cache there.
  private let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  /// - Parameter arguments: of `Tests/api.py`, behind the directory of the products.
  private func api(_ arguments: String...) throws -> ProgramResult {
    let build = String(try productPath("").dropLast())
    return try runProgram(
      "/usr/bin/env", ["python3", "\(Self.root)/Tests/api.py", build] + arguments,
      environment: ["PATH": getenv("PATH").map { String(cString: $0) } ?? "", "HOME": home.path], timeLimit: 600)
  }

  @Test func `the listing is that of the sources: make api renews it`() throws {
    let listing = try api()
    #expect(listing.status == 0, "\(listing.errorText)")
    let kept = String(decoding: try readFile("\(Self.root)/docs/SwiftGet-API.txt"), as: UTF8.self)
    let (new, old) = (Set(listing.outputText.split(separator: "\n")), Set(kept.split(separator: "\n")))
    #expect(new.count > 300)
    #expect(new.subtracting(old).sorted() == [], "not in the listing")
    #expect(old.subtracting(new).sorted() == [], "not in the sources")
  }

  @Test func `every public symbol has a comment`() throws {
    let missing = try api("--undocumented")
    #expect(missing.status == 0 && missing.outputText == "\n", "\(missing.outputText)\(missing.errorText)")
  }

  /// The programs of a file in Markdown, without their imports.
  private func programs(_ path: String, after heading: String? = nil) throws -> [String] {
    var text = String(decoding: try readFile("\(Self.root)/\(path)"), as: UTF8.self)[...]
    if let heading { text = text[(text.firstRange(of: heading)?.upperBound ?? text.endIndex)...] }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    var (programs, isInside): ([String], Bool) = ([], false)
    for line in lines {
      if line.hasPrefix("```") {
        isInside = line == "```swift"
        if isInside { programs.append("") }
      } else if isInside, !line.hasPrefix("import ") {
        programs[programs.count - 1] += line + "\n"
      }
    }
    return programs
  }

  @Test func `the programs in README and articles compile`() throws {
    let articles = ["GettingStarted", "FromTiercel", "FromURLSession"].map { "docs/SwiftGet.docc/\($0).md" }
    let all = try programs("README.md", after: "## As a library") + articles.flatMap { try programs($0) }
    #expect(all.count >= 8)
    let parameters =
      "_ session: DownloadSession, _ lastSeen: Int64, _ urls: [String], _ names: [String], _ digits: String, "
      + "_ newToken: @escaping @Sendable (Bool) async throws -> String"
    let source = all.enumerated().map { index, program in
      "@MainActor func program\(index)(\(parameters)) async throws {\n\(program)}\n"
    }.joined(separator: "\n")
    let directory = try TemporaryDirectory()
    try directory.write("programs.swift", "import SwiftGet\n\n\(source)")
    let result = try api("--typecheck", directory.path("programs.swift"))
    #expect(result.status == 0, "\(result.errorText)")
  }
}
