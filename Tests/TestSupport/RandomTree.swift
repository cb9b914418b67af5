import Glibc

/// A directory of small files with names drawn from a seed.
package struct RandomTree {
  package struct File {
    /// Relative to the directory; raw bytes.
    package let name: [UInt8]
    package let content: [UInt8]
  }

  package private(set) var files: [File] = []

  /// Makes the files in a directory that exists. None of their names is the directory of another.
  ///
  /// - Parameter isAllowed: whether a tree for this test may have the name.
  package init(
    seed: UInt64, names: RandomNames, in directory: String, count: Int = 20,
    where isAllowed: ([UInt8]) -> Bool = { _ in true }
  ) throws {
    var generator = SeededGenerator(seed: seed)
    var directories: Set<[UInt8]> = []
    for index in 0..<count {
      guard let name = names.next(&generator), isAllowed(name) else { continue }
      let parents = Self.parents(of: name)
      let taken = files.map(\.name)
      guard !taken.contains(name), !directories.contains(name), !parents.contains(where: taken.contains) else {
        continue
      }
      for parent in parents where directories.insert(parent).inserted {
        guard Self.withPath(directory, parent, { mkdir($0, 0o755) }) == 0 else {
          throw TestSupportError.systemCall("mkdir", errno)
        }
      }
      let content = (0..<Int.random(in: 0...40, using: &generator)).map { UInt8(truncatingIfNeeded: $0 &* index) }
      try Self.write(content, directory, name)
      files.append(File(name: name, content: content))
    }
  }

  /// The names whose files are missing in another directory or have other content there.
  package func differences(in directory: String) -> [String] {
    files.filter { Self.read(directory, $0.name) != $0.content }.map { String(decoding: $0.name, as: UTF8.self) }
  }

  /// All directories above a name, the outermost first.
  private static func parents(of name: [UInt8]) -> [[UInt8]] {
    name.indices.filter { name[$0] == UInt8(ascii: "/") }.map { Array(name[..<$0]) }
  }

  private static func write(_ content: [UInt8], _ directory: String, _ name: [UInt8]) throws {
    let descriptor = withPath(directory, name) { open($0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644) }
    guard descriptor >= 0 else { throw TestSupportError.systemCall("open", errno) }
    defer { close(descriptor) }
    guard content.withUnsafeBytes({ Glibc.write(descriptor, $0.baseAddress, $0.count) }) == content.count else {
      throw TestSupportError.systemCall("write", errno)
    }
  }

  private static func read(_ directory: String, _ name: [UInt8]) -> [UInt8]? {
    let descriptor = withPath(directory, name) { open($0, O_RDONLY | O_CLOEXEC) }
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
      count = max(0, Glibc.read(descriptor, buffer.baseAddress, buffer.count))
    }
  }

  private static func withPath<Value>(
    _ directory: String, _ name: [UInt8], _ body: (UnsafePointer<CChar>) -> Value
  ) -> Value {
    (Array(directory.utf8) + [UInt8(ascii: "/")] + name + [0]).map(CChar.init(bitPattern:)).withUnsafeBufferPointer {
      body($0.baseAddress!)
    }
  }
}
