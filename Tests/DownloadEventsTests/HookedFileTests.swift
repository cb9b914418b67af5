import DownloadCore
import DownloadFiles
import Glibc
import TestSupport
import Testing

@testable import DownloadEvents

/// What becomes of the mark of a finished file that a hook has worked on.
@Suite struct `A file that a hook has` {
  private let directory: TemporaryDirectory
  private let content = Content.text("0123456789")

  init() throws { directory = try TemporaryDirectory() }

  private var path: String { directory.path("f") }

  /// - Returns: whether the content counts as changed, and whether the mark is still there.
  private func check(
    hasDigest: Bool = true, hashes: Bool = true, _ hook: () throws -> Void
  ) throws -> (isChanged: Bool, isMarked: Bool) {
    try directory.write("f", "0123456789")
    try setTime(1_700_000_000)
    let marked = try opened()
    for name in Self.names { try SystemCalls.fsetxattr(marked.raw, name, [1]) }
    let digest = ContentDigest(.sha256, hex: Array(try content.hexDigest().utf8))
    let file = try #require(HookedFile(path: Array(path.utf8), digest: hasDigest ? digest : nil))
    try hook()
    let isChanged = file.unmarkIfChanged(hashes: hashes)
    let count = try Self.names.count { try isSet($0) }
    #expect(count == 0 || count == 4)
    return (isChanged, count == 4)
  }

  private static let names = [AttributeName.verified, .entityTag, .shatagDigest, .shatagTime]

  private func opened() throws -> FileDescriptor {
    try SystemCalls.openat(SystemCalls.workingDirectory, Array(path.utf8), O_RDWR)
  }

  private func isSet(_ name: AttributeName) throws -> Bool {
    // Where the file has been moved away, nothing is.
    guard let file = try? opened() else { return false }
    return withUnsafeTemporaryAllocation(byteCount: 8, alignment: 1) { buffer in
      (try? SystemCalls.fgetxattr(file.raw, name, into: buffer)) != nil
    }
  }

  private func setTime(_ seconds: Int) throws {
    let time = timeval(tv_sec: seconds, tv_usec: 0)
    try succeed(utimes(path, [time, time]))
  }

  private func succeed(_ result: Int32) throws { try #require(result == 0) }

  private func overwrite(_ text: String) throws {
    let descriptor = open(path, O_WRONLY)
    #expect(pwrite(descriptor, text, text.utf8.count, 2) == text.utf8.count)
    close(descriptor)
  }

  @Test func `left alone keeps its mark`() throws {
    #expect(try check {} == (false, true))
  }

  @Test func `changed loses its mark, be its time restored`() throws {
    let edited = try check {
      try overwrite("X")
      try setTime(1_700_000_000)
    }
    #expect(edited == (true, false))
    #expect(try check { try overwrite("X") } == (true, false))
    #expect(try check { try succeed(truncate(path, 5)) } == (true, false))
  }

  @Test func `touched otherwise keeps its mark if its digest is the same`() throws {
    #expect(try check { try succeed(chmod(path, 0o600)) } == (false, true))
    let rewritten = try check {
      try overwrite("2")
      try setTime(1_700_000_000)
    }
    #expect(rewritten == (false, true))
  }

  @Test func `touched loses its mark if nothing can be compared`() throws {
    #expect(try check(hasDigest: false) { try succeed(chmod(path, 0o600)) } == (true, false))
    #expect(try check(hashes: false) { try succeed(chmod(path, 0o600)) } == (true, false))
  }

  @Test func `replaced by a copy with its attributes loses its mark`() throws {
    let copied = try check {
      _ = try runProgram("/bin/cp", ["--preserve=all", path, path + "2"])
      #expect(rename(path + "2", path) == 0)
    }
    #expect(copied == (true, false))
  }

  @Test func `moved away is no matter`() throws {
    #expect(try check { try succeed(rename(path, path + "2")) }.isChanged == false)
    #expect(HookedFile(path: Array(path.utf8), digest: nil) == nil)
  }
}
