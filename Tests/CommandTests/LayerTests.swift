import TestSupport
import Testing

/// What the compiler does not see of the order of targets.
@Suite struct `The targets` {
  private static let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")

  /// All Swift files below a directory.
  private func files(below directory: String) -> [String] {
    directoryNames(directory).flatMap { name -> [String] in
      let path = directory + "/" + name
      return name.hasSuffix(".swift") ? [path] : name.contains(".") ? [] : files(below: path)
    }
  }

  @Test func `the command uses engines by the library only`() throws {
    let targets = directoryNames(Self.root + "/Sources").filter { $0.hasPrefix("Command") }
    let files = targets.flatMap { self.files(below: Self.root + "/Sources/" + $0) }
    #expect(targets.count == 7 && files.count > 150)
    for file in files {
      let text = String(decoding: try readFile(file), as: UTF8.self)
      let code = text.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("//") }.joined(separator: "\n")
      for use in [" Engine(", ": Engine,", ": Engine)", "EngineCommand", "EventHub"] {
        #expect(!code.contains(use), "\(file): \(use)")
      }
    }
  }

  // MARK: Texts

  /// The first option that a literal in a line of code names.
  ///
  /// - Parameter isInside: whether the line is of a literal of several lines.
  private func option(namedIn line: Substring, isInside: Bool = false) -> Substring? {
    guard let quote = isInside ? line.startIndex : line.firstIndex(of: "\"") else { return nil }
    // The letters of other programs.
    let text = line[quote...].replacing(/\b(ulimit|iconv|grep|sed|awk)( -\w+,?| UTF-\d+)+/, with: "")
    return text.firstMatch(of: /(?:^|[\s"'(])(--[a-z][a-z-]*|-[a-zA-Z])(?![\w-]|:\S)/)?.output.1
  }

  @Test func `libraries name settings, for which only the command has options`() throws {
    let targets = directoryNames(Self.root + "/Sources").filter { $0.hasPrefix("Download") || $0.hasPrefix("SwiftGet") }
    let files = targets.flatMap { self.files(below: Self.root + "/Sources/" + $0) }
    #expect(targets.count == 18 && files.count > 600)
    // The arguments of gpgv.
    for file in files where !file.hasSuffix("/DownloadSignatures/GpgvProcess.swift") {
      var isInside = false
      for line in String(decoding: try readFile(file), as: UTF8.self).split(separator: "\n") {
        if !line.drop(while: { $0 == " " }).hasPrefix("//"), let option = option(namedIn: line, isInside: isInside) {
          Issue.record("\(file) names \(option): \(line)")
        }
        if line.split(separator: "\"\"\"", omittingEmptySubsequences: false).count == 2 { isInside.toggle() }
      }
    }
  }

  @Test(arguments: [
    (#"hint: "give --base-url URL""#, "--base-url"), (#""--log""#, "--log"), (#"{ "--on-\(rawValue)" }"#, "--on-"),
    (#"hint: "name it with -o, or move it""#, "-o"), (#""-i \(shown): no list""#, "-i"), (#""NAME.gz (-o)""#, "-o"),
    (#""sed -n 's/x/y/' LIST | swiftget -i -""#, "-i"), (#""raise the limits (ulimit -u, -v)""#, nil),
    (#""iconv -f UTF-16 -t UTF-8""#, nil), (#""-T:.Z""#, nil), (#""a - b, -1, x-y""#, nil), ("a --b", nil),
  ])
  func `the search for options finds them, but not those of other programs`(line: String, found: String?) {
    #expect(option(namedIn: line[...]).map(String.init) == found)
  }
}
