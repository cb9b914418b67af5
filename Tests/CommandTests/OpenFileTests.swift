import DownloadCore
import Glibc
import TestSupport
import Testing

@testable import DownloadLists
@testable import DownloadWords

@Suite struct `A copied list` {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func opened(_ content: Content) throws -> OpenFile {
    try content.write(to: directory.path("list"))
    return OpenFile(open(directory.path("list"), O_RDONLY | O_CLOEXEC))
  }

  @Test(arguments: [0, 1, 300_000] as [Int64]) func `has the same bytes`(byteCount: Int64) throws {
    let content = Content.generated(seed: 3, byteCount: byteCount)
    let copy = try opened(content).unnamedCopy("list")
    // What happens to the list afterwards does not matter.
    try Content.text("other").write(to: directory.path("list"))
    #expect(try copy.withBytes { (bytes) throws(Failure) in Array(bytes) } == content.allBytes)
    #expect(directory.names() == ["list"])
  }

  @Test func `begins where the list was read up to`() throws {
    let file = try opened(.text("0123456789"))
    #expect(file.isRegularAtStart)
    lseek(file.descriptor, 4, SEEK_SET)
    #expect(!file.isRegularAtStart)
    let copy = try file.unnamedCopy("list")
    #expect(try copy.withBytes { (bytes) throws(Failure) in Array(bytes) } == Array("456789".utf8))
  }

  @Test(arguments: [299_999, 300_000]) func `has no more bytes than allowed`(mostBytes: Int) throws {
    let file = try opened(.generated(seed: 3, byteCount: 300_000))
    do throws(Failure) {
      _ = try file.unnamedCopy("list", mostBytes: mostBytes)
      #expect(mostBytes == 300_000)
    } catch {
      #expect(mostBytes < 300_000 && error.code == .usage && error.message.contains("the list list is longer than"))
    }
  }

  @Test func `of something that cannot be read is an error`() throws {
    let file = OpenFile(open(directory.path, O_RDONLY | O_CLOEXEC))
    let error = #expect(throws: Failure.self) { try file.unnamedCopy("list") }
    #expect(error?.code == .localIO && error?.message.contains("cannot copy the list list") == true)
  }
}
