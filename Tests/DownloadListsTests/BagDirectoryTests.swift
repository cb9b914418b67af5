import DownloadCore
import Glibc
import TestSupport
import Testing

@testable import DownloadLists
@testable import DownloadScratch

@Suite struct `The directory of a bag` {
  private let scratch: TemporaryDirectory

  init() throws {
    scratch = try TemporaryDirectory()
    for directory in ["data", "data/d", "other"] { try scratch.makeDirectory(directory) }
    for name in ["bagit.txt", "data/a", "data/d/b", "other/c"] { try scratch.write(name, "content") }
    symlink("bagit.txt", scratch.path("link"))
    symlink("../a", scratch.path("data/d/link"))
    symlink("../other", scratch.path("data/dirlink"))
    mkfifo(scratch.path("pipe"), 0o600)
  }

  private func directory() throws -> BagDirectory { try BagDirectory(Array(scratch.path.utf8)) }

  @Test func `has entries, of which regular files are no obstacles`() throws {
    let entries = try directory().entries()
    #expect(entries.map { String(decoding: $0.name, as: UTF8.self) } == ["bagit.txt", "link", "pipe"])
    #expect(entries.map(\.obstacle) == [nil, .symbolicLink, .special])
  }

  @Test func `holds regular files, and nothing behind links`() throws {
    let directory = try directory()
    for (name, isThere) in [
      ("data/a", true), ("data/d/b", true), ("bagit.txt", true), ("data", false), ("data/x", false),
      ("data/d/link", false),
      ("data/dirlink/c", false), ("link", false), ("pipe", false), ("data/a/x", false),
    ] {
      #expect(directory.hasFile(Array(name.utf8)) == isThere, "\(name)")
    }
  }

  @Test func `has a payload with everything below data, whose length is that of regular files`() throws {
    var payload = try #require(try directory().payload())
    var names: [String] = []
    while let entry = try payload.next() {
      names.append(String(decoding: entry.name, as: UTF8.self))
      #expect(entry.isRegular != entry.name.suffix(4).elementsEqual("link".utf8), "\(names)")
    }
    #expect(names.sorted() == ["data/a", "data/d/b", "data/d/link", "data/dirlink"])
    #expect(payload.oxum == PayloadOxum(byteCount: 14, fileCount: 2))
  }

  @Test func `need not have a payload, but must be readable`() throws {
    rename(scratch.path("data"), scratch.path("payload"))
    #expect(try directory().payload() == nil)
    symlink("payload", scratch.path("data"))
    #expect(try directory().payload() == nil)
    #expect(throws: FileFailure.self) { try BagDirectory(Array(scratch.path("absent").utf8)) }
    #expect(throws: FileFailure.self) { try BagDirectory(Array(scratch.path("bagit.txt").utf8)) }
  }
}
