import Glibc
import TestSupport
import Testing

@testable import DownloadCore
@testable import DownloadEngine
@testable import DownloadFiles

/// Files of earlier runs, or of other programs, with the names of the sidecar and the part file.
@Suite(.waiting) struct `Leftovers` {
  private let target: TemporaryDirectory
  private let content = Content.generated(seed: 1, byteCount: 1_000_000)
  private let server: ScriptedServer
  private let service: FileService

  init() throws {
    target = try TemporaryDirectory()
    service = FileService(["/f": content, "/g": content])
    server = try ScriptedServer(service)
  }

  private func wanted(_ digests: [ContentDigest] = [], path: String = "/f") throws -> FileRequest {
    try request(0, server.url(path), name: "f", digests: digests)
  }

  /// Creates the files of a run that was killed with this many bytes recorded.
  private func leave(
    done: Int64, of left: Content? = nil, excess: Int = 0, url: String = "/f", tag: String? = nil, length: Int64? = nil
  ) throws {
    let left = left ?? content
    let directory = try TargetDirectory.open(path: Array(target.path.utf8))
    let place = try directory.resolve([Array("f".utf8)])
    let location = try request(0, server.url(url), name: "f").mirrors[0].location
    let hash = StableHash.hexadecimal(StableHash.fnv1a(location.text))
    var record = SidecarRecord(
      target: place.name, url: location.withoutQuery, urlHash: hash, bootID: BootID.current)
    record.completeLength = length ?? content.byteCount
    record.mirrors = [
      SidecarRecord.MirrorState(url: record.url, urlHash: hash, strongTag: Array((tag ?? left.tag).utf8))
    ]
    record.synced = ByteRangeSet([0..<done])
    record.written = record.synced
    record.sources = [SidecarRecord.SourcedRange(0..<done, mirror: 0)]
    let sidecar = try SidecarFile.open(place)
    let part = try PartFile.create(place)
    let bytes = left.bytes(in: 0..<done) + [UInt8](repeating: 7, count: excess)
    try bytes.withUnsafeBytes { try part.write($0, at: 0) }
    try sidecar.recordSynced(record)
  }

  private func isRight() throws -> Bool { try content.firstDifference(inFile: target.path("f")) == nil }

  private func foreign(_ error: Failure) -> ForeignFile? {
    if case .foreignFile(let file) = error.cause { file } else { nil }
  }

  private func status(_ name: String) -> stat {
    var status = stat()
    lstat(target.path(name), &status)
    return status
  }

  // MARK: Complete content

  @Test(arguments: [false, true])
  func `with the complete content become the file without a request`(isVerified: Bool) throws {
    try leave(done: content.byteCount)
    let run = try EngineRun([wanted(isVerified ? [digest(content)] : [])], into: target)
    #expect(run.result() == .downloaded && run.received() == 0, "\(String(describing: run.result()))")
    #expect(server.requests.isEmpty)
    #expect(try isRight() && target.names() == ["f"])
  }

  @Test func `with complete but wrong content are fetched again`() throws {
    try leave(done: content.byteCount, of: .generated(seed: 2, byteCount: content.byteCount))
    let run = try EngineRun([wanted([digest(content)])], into: target)
    #expect(run.result() == .downloaded, "\(String(describing: run.result()))")
    #expect(try isRight() && target.names() == ["f"])
  }

  @Test(arguments: [true, false])
  func `with the complete content of another signed URL are confirmed by a request`(isSame: Bool) throws {
    let left = isSame ? content : .generated(seed: 2, byteCount: content.byteCount)
    try leave(done: content.byteCount, of: left, url: "/f?signature=1")
    let run = try EngineRun([wanted()], into: target)
    #expect(run.result() == .downloaded, "\(String(describing: run.result()))")
    #expect(!server.requests.isEmpty)
    #expect(try isRight() && target.names() == ["f"])
    #expect(isSame ? run.received() <= 4096 : run.received() >= content.byteCount)
  }

  /// Servers make tags of time and length, so two files may have the same tag.
  @Test(arguments: [("/g", false), ("/f?other=1", true)])
  func `of another URL are of use only if it differs in the query alone`(url: String, isUsed: Bool) throws {
    try leave(done: 600_000, url: url)
    let run = try EngineRun([wanted()], into: target) { $0.file.maxConnections = 1 }
    #expect(run.result() == .downloaded && target.names() == ["f"])
    #expect(try isRight())
    #expect(server.requests.first?.rangeHeader == (isUsed ? "bytes=600000-999999" : nil))
    // A digest judges them.
    #expect(unlink(target.path("f")) == 0)
    try leave(done: 600_000, url: "/g")
    let judged = try EngineRun([wanted([digest(content)])], into: target) { $0.file.maxConnections = 1 }
    #expect(judged.result() == .downloaded && judged.received() <= 410_000)
  }

  /// A run that gets no answer must not make them look like those of its URL.
  @Test func `of another URL stay what they are until an answer agrees`() throws {
    try leave(done: 600_000, url: "/f?other=1")
    service.change { $0.failFirst = (9, 404, []) }
    let failed = try EngineRun([wanted()], into: target)
    #expect(failed.error() != nil)
    let directory = try TargetDirectory.open(path: Array(target.path.utf8))
    let place = try directory.resolve([Array("f".utf8)])
    guard case .record(let record)? = try SidecarFile.peek(place) else {
      Issue.record("the record is gone")
      return
    }
    let former = try request(0, server.url("/f?other=1"), name: "f").mirrors[0].location
    #expect(record.urlHash == former.hash)
  }

  @Test(arguments: [1_000_000, 600_000] as [Int64])
  func `that are longer than the file are cut`(done: Int64) throws {
    try leave(done: done, excess: 500_000)
    // Several connections may fetch a few bytes twice.
    let run = try EngineRun([wanted()], into: target) { $0.file.maxConnections = 1 }
    #expect(run.result() == .downloaded, "\(String(describing: run.result()))")
    #expect(try isRight() && target.names() == ["f"])
    #expect(run.received() <= content.byteCount - done)
  }

  // MARK: Ownership

  @Test func `of swiftget are removed beside a kept file`() throws {
    #expect(try EngineRun([wanted()], into: target).result() == .downloaded)
    // A slow download takes several requests.
    let requestCount = server.requests.count
    // Kept by its mark, by its digest, by a request.
    for (digests, isMarked) in [([], true), ([try digest(content)], true), ([], false)] {
      try leave(done: 1000)
      if !isMarked { try backdateMark() }
      #expect(target.names() == ["f", "f.swiftget", "f.swiftget-part"])
      let run = try EngineRun([wanted(digests)], into: target)
      #expect(run.result() == .kept && target.names() == ["f"])
    }
    #expect(server.requests.count == requestCount + 1)
  }

  /// Without RENAME_NOREPLACE the file gets its name by a link, and the run may be killed just after that.
  @Test func `that are links of the finished file are removed`() throws {
    #expect(try EngineRun([wanted()], into: target).result() == .downloaded)
    try leave(done: content.byteCount)
    #expect(unlink(target.path("f.swiftget-part")) == 0)
    #expect(link(target.path("f"), target.path("f.swiftget-part")) == 0)
    #expect(try EngineRun([wanted([digest(content)])], into: target).result() == .kept)
    #expect(try isRight() && target.names() == ["f"] && status("f").st_nlink == 1)
  }

  /// They are not resumed either, because writes would change the finished file.
  @Test func `that are links of the finished file are not written to`() throws {
    let old = Content.generated(seed: 5, byteCount: 700_000)
    try old.write(to: target.path("f"))
    try leave(done: 600_000)
    #expect(unlink(target.path("f.swiftget-part")) == 0)
    #expect(link(target.path("f"), target.path("f.swiftget-part")) == 0)
    let wrong = try digest(.text("another"))
    let run = try EngineRun([wanted([wrong])], into: target)
    #expect(run.error()?.code == .integrity)
    #expect(try old.firstDifference(inFile: target.path("f")) == nil)
  }

  @Test(arguments: [["f.swiftget"], ["f.swiftget-part"], ["f.swiftget", "f.swiftget-part"]])
  func `of other programs stay beside a kept file`(names: [String]) throws {
    #expect(try EngineRun([wanted()], into: target).result() == .downloaded)
    for name in names { try target.write(name, "precious") }
    for digests in [[], [try digest(content)]] {
      let run = try EngineRun([wanted(digests)], into: target)
      #expect(run.result() == .kept && run.end.failureCodes.isEmpty)
      #expect(!run.observer.notices.contains { $0.level != .detail })
      #expect(
        run.observer.notices.contains {
          if case .foreignFileLeftAlone(let file) = $0.remark { file.name == Array(names[0].utf8) } else { false }
        })
    }
    for name in names { #expect(try target.read(name) == Array("precious".utf8)) }
    #expect(target.names() == ["f"] + names)
  }

  @Test(arguments: [["f.swiftget"], ["f.swiftget-part"], ["f.swiftget", "f.swiftget-part"]])
  func `of other programs stay and fail their item only`(names: [String]) throws {
    for name in names { try target.write(name, "precious") }
    let requests = try [wanted(), request(1, server.url("/g"), name: "g")]
    let run = try EngineRun(requests, into: target)
    let error = try #require(run.error())
    #expect(error.code == .localIO && foreign(error)?.name == Array(names[0].utf8), "\(error)")
    #expect(run.result(1) == .downloaded && run.end.stoppedBy == nil)
    for name in names { #expect(try target.read(name) == Array("precious".utf8)) }
    #expect(target.names() == names + ["g"])
  }

  @Test func `without swiftget's sidecar stay when the file is replaced`() throws {
    try target.write("f", "an older version")
    try target.write("f.swiftget-part", "precious")
    let run = try EngineRun([wanted([digest(content)])], into: target)
    #expect(run.error()?.code == .localIO, "\(String(describing: run.result()))")
    #expect(try target.read("f") == Array("an older version".utf8))
    #expect(try target.read("f.swiftget-part") == Array("precious".utf8) && target.names() == ["f", "f.swiftget-part"])
  }

  /// Files that appear while the item is active.
  @Test func `that appear during the download are left alone`() throws {
    service.change { $0.bytesPerSecondOfServer = 1_500_000 }
    let (target, server) = (target, server)
    startThread {
      _ = eventually { server.bodyBytesSent > 100_000 }
      try? target.write("g.swiftget-part", "precious")
    }
    let run = try EngineRun([wanted(), request(1, server.url("/g"), name: "g")], into: target) { $0.limits.jobs = 1 }
    #expect(run.result() == .downloaded && run.error(1)?.code == .localIO, "\(run.observer.outcomes)")
    #expect(try target.read("g.swiftget-part") == Array("precious".utf8))
    #expect(target.names() == ["f", "g.swiftget-part"])
  }

  @Test(arguments: ["f.swiftget", "f.swiftget-part"])
  func `with another link are not used`(name: String) throws {
    try leave(done: 600_000)
    let before = try target.read(name)
    #expect(link(target.path(name), target.path("kept")) == 0)
    let run = try EngineRun([wanted()], into: target)
    let error = try #require(run.error())
    #expect(foreign(error) == ForeignFile(name: Array(name.utf8), .otherLinks), "\(error)")
    #expect(server.requests.isEmpty)
    #expect(try target.read("kept") == before && target.names() == ["f.swiftget", "f.swiftget-part", "kept"])
  }

  /// In a directory like /tmp another user may have created them.
  @Test(
    .enabled(if: geteuid() == 0), arguments: [["f.swiftget"], ["f.swiftget-part"], ["f.swiftget", "f.swiftget-part"]])
  func `of another user are not used`(names: [String]) throws {
    #expect(chmod(target.path, 0o1777) == 0)
    try leave(done: 600_000)
    for name in names { #expect(chown(target.path(name), 65534, 65534) == 0) }
    let before = try names.map { try target.read($0) }
    let run = try EngineRun([wanted()], into: target)
    let error = try #require(run.error())
    #expect(foreign(error) == ForeignFile(name: Array(names[0].utf8), .otherOwner), "\(error)")
    #expect(server.requests.isEmpty && target.names() == ["f.swiftget", "f.swiftget-part"])
    for (name, bytes) in zip(names, before) { #expect(try target.read(name) == bytes) }
    for name in names { #expect(status(name).st_uid == 65534) }
  }

  @Test(arguments: ["f.swiftget", "f.swiftget-part"])
  func `that other users could write to start over`(name: String) throws {
    try leave(done: 600_000)
    #expect(chmod(target.path(name), 0o666) == 0)
    let run = try EngineRun([wanted()], into: target)
    #expect(run.result() == .downloaded && run.received() >= content.byteCount, "\(run.observer.outcomes)")
    let remark = name == "f.swiftget" ? Remark.sidecarIgnored(.exposed) : .startingOver(.exposedPart)
    #expect(run.observer.notices.contains { $0.level == .note && $0.remark == remark })
    #expect(try isRight() && target.names() == ["f"])
  }

  @Test func `that are damaged start over`() throws {
    try leave(done: 600_000)
    let damaged = SidecarSlot.magic + [UInt8](repeating: 0x41, count: 40_000)
    try Content.bytes(damaged).write(to: target.path("f.swiftget"))
    let run = try EngineRun([wanted()], into: target)
    #expect(run.result() == .downloaded && run.received() >= content.byteCount, "\(run.observer.outcomes)")
    #expect(run.observer.notices.contains { $0.level == .note && $0.remark == .sidecarIgnored(.damaged) })
    #expect(try isRight() && target.names() == ["f"])
  }

  // MARK: Marks

  /// With restored size and modification time, only the change time shows the change.
  @Test func `a changed file with restored size and time is hashed and replaced`() throws {
    let wanted = try wanted([digest(content)])
    #expect(try EngineRun([wanted], into: target).result() == .downloaded)
    let before = status("f")
    try backdateMark()
    let requestCount = server.requests.count
    // A chmod only costs a hash.
    #expect(try EngineRun([wanted], into: target).result() == .kept)
    #expect(server.requests.count == requestCount)
    #expect(try isVouched(for: wanted.digests[0]), "and no more than one")
    do {
      let descriptor = try SystemCalls.openat(SystemCalls.workingDirectory, Array(target.path("f").utf8), O_RDWR)
      try SystemCalls.pwriteAll(descriptor.raw, Array("changed".utf8), at: 500)
      try SystemCalls.futimens(descriptor.raw, modified: FileTime(seconds: Int64(before.st_mtim.tv_sec)))
    }
    try backdateMark()
    #expect(status("f").st_mtim.tv_sec == before.st_mtim.tv_sec && status("f").st_size == before.st_size)
    #expect(try EngineRun([wanted], into: target).result() == .downloaded)
    #expect(try isRight())
  }

  private func isVouched(for digest: ContentDigest) throws -> Bool {
    let directory = try TargetDirectory.open(path: Array(target.path.utf8))
    guard case .regular(let file) = try ExistingTarget.inspect(directory.resolve([Array("f".utf8)])) else {
      return false
    }
    return file.isVouched(for: digest)
  }

  /// Dates the publication back by a minute, so that the file counts as changed now.
  private func backdateMark() throws {
    let descriptor = try SystemCalls.openat(SystemCalls.workingDirectory, Array(target.path("f").utf8), O_RDWR)
    let bytes = try #require(FileAttributes.read(.verified, of: descriptor.raw))
    var mark = try #require(VerifiedMark(bytes: bytes))
    mark.writtenAt -= 60
    try SystemCalls.fsetxattr(descriptor.raw, .verified, mark.bytes)
  }

  /// Which takes as long as the disk wants.
  @Test func `have the name of a path brought to stable storage by a worker`() throws {
    let place = try DownloadPlace(directory: Array(target.path.utf8))
    let workers = Workers(Runtime(idleTime: .zero), place.root.base, syncs: true, groupLimit: 1)
    guard workers.start(for: EngineInbox()) else { throw TestSupportError("no threads") }
    let inspector = TargetInspector(place, RunSettings(), workers: workers)
    func look(_ name: String, _ item: ItemHandle) throws -> TargetInspector.Finding {
      var request = try wanted()
      request.target = .path(Array(target.path(name).utf8))
      return try inspector.look(at: request, item, now: .zero)
    }
    try target.write("f", "whole")
    try target.write("f.swiftget-part", "")
    guard case .later = try look("f", 1) else { throw TestSupportError("looked at once") }
    guard case .target(.file, .absent) = try look("g", 2) else { throw TestSupportError("nothing is to be synced") }
    inspector.handOver()
    var found: ExistingTarget?
    _ = eventually {
      for case .inspected(let results) in workers.client.replies.takeAll() { found = try? results.first?.result.get() }
      return found != nil
    }
    guard case .regular = found else { throw TestSupportError("\(String(describing: found))") }
  }
}
