import DownloadCore
import DownloadEngine
import DownloadFiles
import Glibc
import DownloadListWriting
import TestSupport
import Testing

@testable import CommandChecking
@testable import DownloadScratch

@Suite struct `A directory that becomes a bag` {
  /// Names with those of tag files and of the payload directory, which are ordinary names in a payload.
  private static let names = ["a", "bag-info.txt", "data/x", "data/data/y", "d/e/f", "manifest-sha256.txt", "z%z"]

  private func makeTree() throws -> TemporaryDirectory {
    let scratch = try TemporaryDirectory()
    for directory in ["t", "t/data", "t/data/data", "t/d", "t/d/e", "t/emptydir"] {
      try scratch.makeDirectory(directory)
    }
    for name in Self.names { try scratch.write("t/" + name, "content of \(name)") }
    return scratch
  }

  private func convert(_ path: String, _ algorithms: [DigestAlgorithm] = [.sha256]) throws {
    let conversion = try BagInPlace(Array(path.utf8))
    let hashed = try #require(
      try conversion.tree.hashed(algorithms, hasPieces: false, hearing: SignalWatch([])))
    try conversion.convert(hashed, bag(hashed, algorithms), syncs: true)
  }

  private func bag(_ files: [HashedFile], _ algorithms: [DigestAlgorithm]) -> BagFiles {
    BagFiles(files: files, algorithms: algorithms, date: "2026-01-31") { ManifestFile.digests(of: $0, algorithms) }
  }

  /// Expects a bag of exactly the tree of `makeTree`, by the rules of RFC 8493 and with `sha256sum`.
  private func expectBag(_ scratch: TemporaryDirectory, _ about: Comment) throws {
    let tags = ["bag-info.txt", "bagit.txt", "manifest-sha256.txt", "tagmanifest-sha256.txt"]
    #expect(scratch.names(in: "t") == (tags + ["data"]).sorted(), about)
    for name in Self.names {
      #expect(try scratch.read("t/data/" + name) == Array("content of \(name)".utf8), about)
    }
    #expect(scratch.names(in: "t/data").contains("emptydir"), about)
    let manifest = String(decoding: try scratch.read("t/manifest-sha256.txt"), as: UTF8.self)
    #expect(manifest.split(separator: "\n").count == Self.names.count, about)
    for (list, text) in [
      ("manifest", manifest.replacing("%25", with: "%")),
      ("tagmanifest", String(decoding: try scratch.read("t/tagmanifest-sha256.txt"), as: UTF8.self)),
    ] {
      let result = try runProgram(
        "/usr/bin/sha256sum", ["-c", "--strict", "--quiet"], directory: scratch.path("t"), input: Array(text.utf8))
      #expect(result.status == 0, "\(about) \(list): \(result.errorText)")
    }
  }

  @Test func `has its files under data, and tag files that fit`() throws {
    let scratch = try makeTree()
    try convert(scratch.path("t"))
    try expectBag(scratch, "")
    #expect(throws: BagInPlace.Refusal.isBag) { try convert(scratch.path("t")) }
  }

  @Test func `loses nothing wherever it is interrupted, and is finished by the next run`() throws {
    let whole = try makeTree()
    let conversion = try BagInPlace(Array(whole.path("t").utf8))
    let files = try #require(try conversion.tree.hashed([.sha256], hasPieces: false, hearing: SignalWatch([])))
    let calls = try FaultTable.recording { try conversion.convert(files, bag(files, [.sha256]), syncs: true) }
    #expect(calls.count > 40)
    for end in calls.indices {
      let scratch = try makeTree()
      let conversion = try BagInPlace(Array(scratch.path("t").utf8))
      let faults = SystemCall.allCases.map { call in
        Fault(call, number: calls[..<end].count { $0.call == call } + 1, persists: true, .failure(EIO))
      }
      FaultTable.withFaults(faults) {
        // What is left is that of a process that was killed here.
        _ = try? conversion.convert(files, bag(files, [.sha256]), syncs: true)
      }
      do { try convert(scratch.path("t")) } catch BagInPlace.Refusal.isBag {
        // Only the last sync was missing.
        #expect(calls[end...].allSatisfy { $0.call != .renameat }, "call \(end)")
      }
      try expectBag(scratch, "call \(end) \(calls[end].call)")
    }
  }

  @Test func `is finished by a run with other algorithms, whose tag files replace the earlier ones`() throws {
    let scratch = try makeTree()
    let conversion = try BagInPlace(Array(scratch.path("t").utf8))
    let files = try #require(try conversion.tree.hashed([.md5], hasPieces: false, hearing: SignalWatch([])))
    // The last of five renames of tag files, after those of five entries and of the payload directory.
    let renames = try FaultTable.recording {
      let copy = try makeTree()
      let other = try BagInPlace(Array(copy.path("t").utf8))
      try other.convert(files, bag(files, [.md5]), syncs: true)
    }.count { $0.call == .renameat }
    FaultTable.withFaults([Fault(.renameat, number: renames, persists: true, .failure(EIO))]) {
      _ = try? conversion.convert(files, bag(files, [.md5]), syncs: true)
    }
    #expect(scratch.names(in: "t").contains("tagmanifest-md5.txt") && !scratch.names(in: "t").contains("bagit.txt"))
    try convert(scratch.path("t"))
    try expectBag(scratch, "")
  }

  @Test func `is refused, untouched, if its manifest could not list something`() throws {
    let scratch = try makeTree()
    symlink("a", scratch.path("t/link"))
    #expect(throws: BagInPlace.Refusal.unlisted([LeftOutFile(name: Array("link".utf8), reason: .symbolicLink)])) {
      try convert(scratch.path("t"))
    }
    unlink(scratch.path("t/link"))
    try scratch.write("t/d/x.swiftget-part", "unfinished")
    #expect(throws: BagInPlace.Refusal.self) { try convert(scratch.path("t")) }
    #expect(scratch.names(in: "t") == ["a", "bag-info.txt", "d", "data", "emptydir", "manifest-sha256.txt", "z%z"])
  }

  @Test func `never replaces what an interrupted run has moved`() throws {
    let scratch = try makeTree()
    try scratch.makeDirectory("t/data.swiftget-tmp")
    try scratch.write("t/data.swiftget-tmp/a", "moved")
    #expect(throws: BagInPlace.Refusal.collision(Array("a".utf8))) { try convert(scratch.path("t")) }
    #expect(try scratch.read("t/data.swiftget-tmp/a") == Array("moved".utf8))
  }

  @Test func `with a file that was moved and is there again is refused before anything moves`() throws {
    let scratch = try makeTree()
    try scratch.makeDirectory("t/data.swiftget-tmp")
    try scratch.write("t/data.swiftget-tmp/z%z", "moved")
    #expect(throws: BagInPlace.Refusal.collision(Array("z%z".utf8))) { try convert(scratch.path("t")) }
    #expect(scratch.names(in: "t/data.swiftget-tmp") == ["z%z"])
  }

  enum Change: CaseIterable { case addition, otherName, otherLength }

  @Test(arguments: Change.allCases)
  func `does not become one if its files changed after hashing`(change: Change) throws {
    let scratch = try makeTree()
    let conversion = try BagInPlace(Array(scratch.path("t").utf8))
    let files = try #require(try conversion.tree.hashed([.sha256], hasPieces: false, hearing: SignalWatch([])))
    switch change {
    case .addition: try scratch.write("t/new", "x")
    case .otherName: #expect(rename(scratch.path("t/a"), scratch.path("t/aa")) == 0)
    case .otherLength: try scratch.write("t/a", "longer content of a")
    }
    #expect(throws: BagInPlace.Refusal.failed(FileFailure(Array(scratch.path("t").utf8), .changed))) {
      try conversion.convert(files, bag(files, [.sha256]), syncs: false)
    }
    #expect(!scratch.names(in: "t").contains("bagit.txt"))
  }

  // MARK: In another place

  private func copy(_ scratch: TemporaryDirectory, to path: String, writeErrno: Int32? = nil) throws {
    let tree = try LocalTree(Array(scratch.path("t").utf8), output: nil)
    let files = try #require(try tree.hashed([.sha256], hasPieces: false, hearing: SignalWatch([])))
    let copy = try BagCopy(of: tree, at: Array(path.utf8))
    let faults = writeErrno.map { [Fault(.pwrite, persists: true, .failure($0))] } ?? []
    let isMade = try FaultTable.withFaults(faults) {
      try copy.make(files, bag(files, [.sha256]), syncs: true, hearing: SignalWatch([]))
    }
    #expect(isMade)
  }

  @Test func `may be made in another place, by copies`() throws {
    let scratch = try makeTree()
    chmod(scratch.path("t/a"), 0o640)
    try copy(scratch, to: scratch.path("bag"))
    #expect(scratch.names() == ["bag", "t"])
    for name in Self.names { #expect(try scratch.read("bag/data/" + name) == Array("content of \(name)".utf8)) }
    #expect(scratch.names(in: "bag").count == 5)
    #expect(try runProgram("/usr/bin/stat", ["-c", "%h %a", scratch.path("bag/data/a")]).outputText == "1 640\n")
  }

  @Test func `in another place leaves nothing after a failure`() throws {
    let scratch = try makeTree()
    #expect(throws: FileFailure.self) { try copy(scratch, to: scratch.path("bag"), writeErrno: EIO) }
    #expect(scratch.names() == ["t"])
    try scratch.write("bag", "mine")
    #expect(throws: FileFailure.self) { try copy(scratch, to: scratch.path("bag")) }
    #expect(try scratch.read("bag") == Array("mine".utf8))
  }
}
