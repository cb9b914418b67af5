import DownloadCore
import DownloadFiles
import Glibc
import TestSupport
import Testing

@testable import DownloadLists

@Suite struct `An index of finished files` {
  private let cache: TemporaryDirectory

  init() throws { cache = try TemporaryDirectory() }

  private var directory: [UInt8] { Array(cache.path("swiftget").utf8) }
  private var names: [String] { cache.names(in: "swiftget") }

  private func index(_ name: UInt64 = 1) -> FinishedIndex { FinishedIndex(directory: directory, name: name) }

  private func record(_ number: Int, isMarked: Bool = true) -> FinishedFileRecord {
    let mark = VerifiedMark(
      digest: ContentDigest(.sha256, [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 32)),
      size: Int64(number), modified: FileTime(seconds: 5), writtenAt: 6, url: .hash(7))
    return FinishedFileRecord(
      name: Array("\(number)".utf8),
      file: FinishedFile(inode: UInt64(number), mark: mark, urlHash: nil, isMarked: isMarked))!
  }

  private func key(_ number: Int) -> UInt64 { StableHash.fnv1a("\(number)") }

  /// A run that keeps what it finds, and downloads the others.
  ///
  /// - Parameter ended: the order in which the files end, by their places in the list; nil is the order of the list.
  /// - Returns: how many were found.
  @discardableResult
  private func run(_ list: [Int], ended: [Int]? = nil, isMarked: Bool = true, isWhole: Bool = true) -> Int {
    let index = index()
    var known: Set<Int> = []
    for number in list {
      guard let file = index.file(ofKey: key(number)) else { continue }
      #expect(file == record(number, isMarked: isMarked).file)
      known.insert(number)
    }
    for number in ended ?? list {
      index.add(record(number, isMarked: isMarked), isKnown: known.contains(number))
    }
    index.save(isWhole: isWhole, run: nil, itemCount: nil)
    return known.count
  }

  private func inode() throws -> UInt64 { UInt64(try #require(fileStatus(names[0])).st_ino) }

  private func fileStatus(_ name: String) -> stat? {
    var status = stat()
    return lstat(cache.path("swiftget/\(name)"), &status) == 0 ? status : nil
  }

  @Test func `finds all files of the list again, and is not written again`() throws {
    let list = Array(0..<30_000)
    #expect(run(list) == 0 && names.count == 1)
    let before = try inode()
    #expect(run(list) == list.count && names.count == 1)
    #expect(try inode() == before)
    let status = try #require(fileStatus(names[0]))
    #expect(status.st_mode & 0o777 == 0o600)
  }

  @Test func `finds files that ended in another order, as transfers at the same time do`() {
    var random = SeededGenerator(seed: 4)
    let list = Array(0..<30_000)
    let shuffled = list.map { (Double($0) + Double.random(in: 0...3000, using: &random), $0) }.sorted { $0.0 < $1.0 }
    run(list, ended: shuffled.map(\.1))
    #expect(run(list) == list.count)
  }

  @Test func `follows a list that changes`() {
    var random = SeededGenerator(seed: 5)
    var list = Array(0..<20_000)
    var next = list.count
    run(list)
    for _ in 0..<5 {
      let before = Set(list)
      list.removeAll { _ in Int.random(in: 0..<50, using: &random) == 0 }
      for _ in 0..<300 {
        list.insert(next, at: Int.random(in: 0...list.count, using: &random))
        next += 1
      }
      #expect(run(list) == list.count { before.contains($0) })
      #expect(run(list) == list.count)
    }
  }

  @Test func `does without a file for few files, unless they have no attributes`() {
    run(Array(0..<(FinishedIndex.leastFiles - 1)))
    #expect(!fileExists(cache.path("swiftget")))
    run([1, 2, 3], isMarked: false)
    #expect(names.count == 1 && run([1, 2, 3], isMarked: false) == 3)
  }

  @Test func `stays as it was where a run ends early, unless it is the first one`() throws {
    let list = Array(0..<5000)
    run(Array(list[..<2000]), isWhole: false)
    #expect(run(list) == 2000)
    let before = try inode()
    run(Array(list[..<1500]) + [9999], isWhole: false)
    #expect(try inode() == before && run(list) == 5000)
  }

  @Test func `is of one list and directory`() {
    run([1, 2], isMarked: false)
    #expect(index(2).file(ofKey: key(1)) == nil && index(1).file(ofKey: key(1)) != nil)
  }

  @Test func `that is damaged, cut or of somebody else is no harm`() throws {
    let list = Array(0..<3000)
    run(list)
    let path = cache.path("swiftget/\(names[0])")
    let bytes = try readFile(path)
    var random = SeededGenerator(seed: 6)
    for _ in 0..<50 {
      var damaged = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random)))
      if !damaged.isEmpty {
        for _ in 0..<3 {
          damaged[Int.random(in: damaged.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
      }
      try Content.bytes(damaged).write(to: path)
      let index = index()
      for number in list { _ = index.file(ofKey: key(number)) }
    }
    try Content.bytes(bytes).write(to: path)
    #expect(index().file(ofKey: key(1)) != nil)
    chmod(path, 0o622)
    #expect(index().file(ofKey: key(1)) == nil, "others could have written it")
    chmod(path, 0o600)
    #expect(link(path, path + "2") == 0 && index().file(ofKey: key(1)) == nil)
    unlink(path)
    #expect(symlink(path + "2", path) == 0 && index().file(ofKey: key(1)) == nil)
    // A link is replaced, not written through.
    run(list)
    #expect(try readFile(path + "2") == bytes && fileStatus(names[0])?.st_mode ?? 0 & S_IFMT != S_IFLNK)
  }

  @Test func `cannot be written, and nobody notices`() throws {
    try cache.write("swiftget", "a file in the place of the directory")
    run(Array(0..<5000))
    #expect(run(Array(0..<5000)) == 0 && cache.names() == ["swiftget"])
    let nowhere = FinishedIndex(directory: Array("/proc/nothing/swiftget".utf8), name: 1)
    nowhere.add(record(1, isMarked: false), isKnown: false)
    nowhere.save(isWhole: true, run: nil, itemCount: nil)
  }

  @Test func `removes indexes that were not used for long, and no other file`() throws {
    try cache.makeDirectory("swiftget")
    for name in ["finished-old", "finished-new", "other"] { try cache.write("swiftget/\(name)", "x") }
    for name in ["finished-old", "other"] {
      var times = [timeval(tv_sec: time(nil) - 181 * 86_400, tv_usec: 0), timeval(tv_sec: 0, tv_usec: 0)]
      times[1] = times[0]
      #expect(utimes(cache.path("swiftget/\(name)"), times) == 0)
    }
    run([1], isMarked: false)
    #expect(names.count == 3 && !names.contains("finished-old"))
  }

  // MARK: All files at once

  /// Files in a target directory, and an index of a run that has left them.
  private func leaveFiles(_ names: [String], run: FinishedRun? = Self.run, itemCount: Int? = nil) throws {
    let index = index()
    for name in names {
      try cache.write("t/\(name)", name)
      var status = stat()
      #expect(lstat(cache.path("t/\(name)"), &status) == 0)
      let mark = VerifiedMark(
        digest: nil, size: Int64(status.st_size),
        modified: FileTime(seconds: Int64(status.st_mtim.tv_sec), nanoseconds: Int32(status.st_mtim.tv_nsec)),
        writtenAt: Int64(status.st_ctim.tv_sec), url: .hash(1))
      let file = FinishedFile(inode: UInt64(status.st_ino), mark: mark, urlHash: nil, isMarked: false)
      index.add(try #require(FinishedFileRecord(name: Array(name.utf8), file: file)), isKnown: false)
    }
    index.save(isWhole: true, run: run, itemCount: itemCount ?? names.count)
  }

  private static let run = FinishedRun(stamp: 5, inputs: Array("flist\0".utf8))

  private func allFiles() -> Int? {
    let index = index()
    guard index.finishedRun == Self.run else { return nil }
    return index.allFiles(in: Array(cache.path("t").utf8))?.count
  }

  @Test func `tells that all files of a run are there`() throws {
    try cache.makeDirectory("t")
    try cache.makeDirectory("t/d")
    let names = (0..<9000).map { $0 % 3 == 0 ? "d/\($0)" : "\($0)" }
    try leaveFiles(names)
    #expect(allFiles() == 9000)
    let sizes = index().allFiles(in: Array(cache.path("t").utf8))?.byteCount
    #expect(sizes == Int64(names.reduce(0) { $0 + $1.utf8.count }))
    // Records can still be looked up where the look at all files has failed.
    unlink(cache.path("t/8999"))
    let index = index()
    #expect(index.allFiles(in: Array(cache.path("t").utf8)) == nil)
    #expect(index.file(ofKey: StableHash.fnv1a("1")) != nil)
  }

  @Test func `tells nothing of a run that has not left all of them`() throws {
    try cache.makeDirectory("t")
    try leaveFiles(["a", "b"], itemCount: 3)
    #expect(allFiles() == nil)
    try leaveFiles(["a", "b"], run: nil)
    #expect(allFiles() == nil)
  }

  @Test(arguments: [
    "rm 3", "mv 3 x; ln -s x 3", "printf X > 3", "sleep 6; touch -r 3 x; printf 4 > 3; touch -r x 3",
    "cp -p 3 x; mv x 3", "mv d e; ln -s e d", "rm -r d", "mkfifo x; mv x 3",
  ])
  func `notices what has happened to one of them`(change: String) throws {
    try cache.makeDirectory("t")
    try cache.makeDirectory("t/d")
    try leaveFiles(["1", "2", "3", "d/4"])
    #expect(allFiles() == 4)
    let result = try runProgram("/bin/sh", ["-c", "cd '\(cache.path("t"))' && \(change)"])
    #expect(result.status == 0, "\(result.errorText)")
    #expect(allFiles() == nil)
  }

  @Test func `that is cut tells nothing`() throws {
    try cache.makeDirectory("t")
    try leaveFiles(["1", "2", "3"])
    let path = cache.path("swiftget/\(names[0])")
    let bytes = try readFile(path)
    for count in 0..<bytes.count {
      try Content.bytes(Array(bytes[..<count])).write(to: path)
      #expect(allFiles() == nil, "\(count) of \(bytes.count)")
    }
    try Content.bytes(bytes + [0]).write(to: path)
    #expect(allFiles() == nil)
    try Content.bytes(bytes).write(to: path)
    #expect(allFiles() == 3)
  }

  @Test func `of the first form gives its records, and no run`() throws {
    run([1, 2], isMarked: false)
    let path = cache.path("swiftget/\(names[0])")
    let records = try readFile(path).dropFirst(40)
    let first = Array("swiftget index 1".utf8) + UInt64(5).bytes + UInt64(2).bytes + records
    try Content.bytes(first).write(to: path)
    #expect(index().finishedRun == nil && index().file(ofKey: key(2)) == record(2, isMarked: false).file)
  }
}
