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
}
