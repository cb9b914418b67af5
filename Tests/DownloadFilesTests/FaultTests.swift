import DownloadCore
@testable import DownloadFiles
import Foundation
import TestSupport
import Testing

/// Every system call of every operation fails with every errno that it may return.
///
/// An operation runs once to record its calls, and then once for each call and errno in a directory of its own.
/// Afterwards the final name must be the complete new file, the previous file or absent, and a thrown error must name
/// the injected call and errno.
@Suite struct `Every failing call` {
  /// The errnos of each call, disk and descriptor errors first.
  private static func errnos(of call: SystemCall) -> [Int32] {
    switch call {
    case .openat: [EACCES, EMFILE, ENFILE, ENOSPC, EDQUOT, EROFS, EIO, ENAMETOOLONG, ENOMEM, ELOOP, EISDIR, EOPNOTSUPP]
    case .close: [EIO, ENOSPC, EDQUOT]
    case .dup: [EMFILE]
    case .pwrite, .write: [ENOSPC, EDQUOT, EFBIG, EIO, EROFS]
    case .pread: [EIO, EISDIR]
    case .ftruncate: [EIO, EPERM, EROFS]
    case .fdatasync, .fsync, .syncfs: [EIO, ENOSPC, EDQUOT, EROFS]
    case .renameat: [EIO, ENOSPC, EDQUOT, EACCES, EPERM, EROFS, EXDEV, ENOENT, EISDIR, EINVAL, ENOSYS]
    case .linkat: [EIO, ENOSPC, EDQUOT, EACCES, EPERM, EROFS, EXDEV, ENOENT, EMLINK, EOPNOTSUPP]
    case .unlinkat: [EIO, EACCES, EPERM, EROFS, EISDIR]
    case .mkdirat: [EIO, ENOSPC, EDQUOT, EACCES, EROFS, ENAMETOOLONG, EMLINK]
    case .fstat, .fstatat: [EIO, EACCES, ENOMEM, EOVERFLOW]
    case .flock: [EWOULDBLOCK, ENOLCK, EIO, EOPNOTSUPP]
    case .fsetxattr: [ENOTSUP, EPERM, ENOSPC, EDQUOT, E2BIG, EIO]
    case .fremovexattr: [ENODATA, ENOTSUP, EPERM, EIO]
    case .fgetxattr, .getxattrat: [ENODATA, ENOTSUP, ERANGE, EIO]
    case .futimens, .fchmod: [EPERM, EACCES, EROFS, EIO, ENOSYS]
    case .fstatfs: [EIO, ENOSYS]
    case .sync, .syncFileRange, .poll: [EIO]
    }
  }

  private static let old = pattern(70, seed: 9)
  private static let new = pattern(9000)

  /// Runs `operation` on the name `x` with each fault; `before` is the previous content.
  private func exercise(
    before: [UInt8]?, _ label: String, _ operation: (Scratch, Publisher) throws -> Void
  ) throws -> Int {
    func prepared() throws -> Scratch {
      let scratch = try Scratch()
      if let before { try scratch.write("x", before) }
      return scratch
    }
    let clean = try prepared()
    // Created before the faults are injected.
    let publisher = Publisher()
    let calls = try FaultTable.recording { try operation(clean, publisher) }
    #expect(clean.read("x") == Self.new, "\(label) does not work without faults")
    var seen: [SystemCall: Int] = [:]
    var count = 0
    for call in calls.map(\.call) {
      seen[call, default: 0] += 1
      for errno in Self.errnos(of: call) {
        for persists in [false, true] {
          count += 1
          let fault = Fault(call, number: seen[call]!, persists: persists, .failure(errno))
          let what = "\(label): \(call.rawValue) number \(seen[call]!) fails with \(errno), persists: \(persists)"
          let scratch = try prepared()
          let publisher = Publisher()
          var thrown: (any Error)?
          do { try FaultTable.withFaults([fault]) { try operation(scratch, publisher) } } catch { thrown = error }
          let found = scratch.read("x")
          #expect(found == before || found == Self.new, "\(what): something else stands under the name")
          if let thrown {
            expect(thrown, names: call, errno, what)
          } else {
            #expect(found == Self.new, "\(what): reported as done")
          }
          #expect(!scratch.names.contains { $0.hasSuffix(".swiftget-tmp") } || call == .unlinkat, "\(what): litter")
        }
      }
    }
    return count
  }

  private func expect(_ error: any Error, names call: SystemCall, _ errno: Int32, _ what: String) {
    let cause: SystemCallError?
    switch error {
    case let error as SystemCallError: cause = error
    case PublicationError.systemCall(let error), PublicationError.directorySync(let error): cause = error
    case SidecarOpenError.systemCall(let error), PartOpenError.systemCall(let error): cause = error
    case SidecarOpenError.held: cause = call == .flock ? SystemCallError(.flock, EWOULDBLOCK) : nil
    default: cause = nil
    }
    #expect(cause == SystemCallError(call, errno), "\(what): blamed on \(error)")
  }

  private func publishBig(_ scratch: Scratch, _ publisher: Publisher, replacing: Bool, syncs: Bool = true) throws {
    let place = try scratch.place("x")
    let sidecar = try SidecarFile.open(place)
    if case .unusable = try sidecar.load() { Issue.record("a new sidecar is unusable") }
    try sidecar.startOver(with: record(for: "x", length: 9000))
    let part = try PartFile.create(place)
    try write(Array(Self.new[..<5000]), to: part)
    try sidecar.recordWritten(record(for: "x", done: 5000, length: 9000))
    try sidecar.syncName()
    _ = try part.dataSync()
    try sidecar.recordSynced(synced(record(for: "x", done: 5000, length: 9000)))
    try write(Array(Self.new[5000...]), to: part, at: 5000)
    part.startWriteback(0..<9000)
    try publisher.publish(
      part, sidecar: sidecar, byteCount: 9000,
      PublishOrder(
        attributes: FileAttributes(
          originURL: "https://example.org/x",
          digest: .found(ContentDigest(.sha256, repeating: 1)), urlHash: 1),
        modified: FileTime(seconds: 1), isReplacing: replacing), syncs: syncs)
  }

  private func publishSmall(_ scratch: Scratch, _ publisher: Publisher, replacing: Bool, syncs: Bool = true) throws {
    let file = SmallFile(
      place: try scratch.place("x"), body: FilledBlock(copying: Self.new),
      PublishOrder(attributes: FileAttributes(urlHash: 1), isReplacing: replacing))
    let staged = try publisher.stage(file, syncs: syncs)
    for result in publisher.publishGroup([staged], syncs: syncs) { _ = try result.get() }
  }

  @Test func `leaves the name of a private file with the old or the new file`() throws {
    for syncs in [true, false] {
      let count = try exercise(before: Self.old, "private, syncs: \(syncs)") { scratch, _ in
        try PrivateFile.replace(Array((scratch.path + "/x").utf8), with: Self.new, syncs: syncs)
      }
      #expect(count > 60)
    }
  }

  @Test func `leaves the name of a large file absent or complete`() throws {
    #expect(try exercise(before: nil, "big") { try publishBig($0, $1, replacing: false) } > 150)
  }

  @Test func `leaves the name of a large file with the old or the new file`() throws {
    #expect(try exercise(before: Self.old, "big, replacing") { try publishBig($0, $1, replacing: true) } > 150)
    #expect(
      try exercise(before: Self.old, "big, replacing, no sync") {
        try publishBig($0, $1, replacing: true, syncs: false)
      } > 100)
  }

  @Test func `leaves the name of a small file absent or complete`() throws {
    #expect(try exercise(before: nil, "small") { try publishSmall($0, $1, replacing: false) } > 40)
    #expect(
      try exercise(before: nil, "small, no sync") { try publishSmall($0, $1, replacing: false, syncs: false) } > 30)
  }

  @Test func `leaves the name of a small file with the old or the new file`() throws {
    #expect(try exercise(before: Self.old, "small, replacing") { try publishSmall($0, $1, replacing: true) } > 40)
  }

  @Test func `leaves the name of a temporary file absent or complete`() throws {
    let unsupported = Fault(.openat, .failure(EOPNOTSUPP))
    for before in [nil, Self.old] {
      #expect(
        try exercise(before: before, "temporary") { scratch, publisher in
          try FaultTable.withFaults([unsupported]) { try publishSmall(scratch, publisher, replacing: before != nil) }
        } > 40)
    }
  }

  @Test func `never resumes more than was stored`() throws {
    // The operation opens the files of an earlier run, continues and records. The record must claim right bytes only.
    func leave(_ scratch: Scratch) throws {
      let place = try scratch.place("x")
      let sidecar = try SidecarFile.open(place)
      try sidecar.startOver(with: record(for: "x", length: 9000))
      let part = try PartFile.create(place)
      try write(Array(Self.new[..<3000]), to: part)
      _ = try part.dataSync()
      try sidecar.recordSynced(synced(record(for: "x", done: 3000, length: 9000)))
    }
    func goOn(_ scratch: Scratch) throws {
      let place = try scratch.place("x")
      let sidecar = try SidecarFile.open(place)
      guard case .record(let found) = try sidecar.load(), let part = try PartFile.openExisting(place) else { return }
      let start = found.believed(bootID: BootID.current).contiguousEnd
      try write(Array(Self.new[Int(start)..<6000]), to: part, at: start)
      try sidecar.recordWritten(record(for: "x", done: 6000, length: 9000))
      _ = try part.dataSync()
      try sidecar.recordSynced(synced(record(for: "x", done: 6000, length: 9000)))
      try sidecar.startOver(with: record(for: "x", length: 9000))
    }
    let clean = try Scratch()
    try leave(clean)
    let calls = try FaultTable.recording { try goOn(clean) }
    var seen: [SystemCall: Int] = [:]
    for call in calls.map(\.call) {
      seen[call, default: 0] += 1
      for effect in Self.errnos(of: call).map({ Fault.Effect.failure($0) }) + [.short(100)] {
        let scratch = try Scratch()
        try leave(scratch)
        let fault = Fault(call, number: seen[call]!, effect)
        do {
          try FaultTable.withFaults([fault]) { try goOn(scratch) }
        } catch {
          if case .failure(let errno) = effect { expect(error, names: call, errno, "resume") }
        }
        guard let bytes = scratch.read("x.swiftget"),
          case .record(let found) = SidecarReading(Array(bytes.prefix(32768))).outcome
        else { continue }
        let part = scratch.read("x.swiftget-part") ?? []
        let end = Int(found.written.contiguousEnd)
        #expect(part.count >= end && part.prefix(end).elementsEqual(Self.new.prefix(end)), "\(fault)")
      }
    }
    #expect(seen.values.reduce(0, +) > 15)
  }

  @Test func `is described by its call and errno`() {
    #expect(SystemCallError(.openat, ENOSPC).description == "openat: errno 28")
    let kinds: [(LocalFailure.Kind, [Int32])] = [
      (.outOfSpace, [ENOSPC, EDQUOT]), (.fileTooLarge, [EFBIG]), (.outOfDescriptors, [EMFILE, ENFILE]),
      (.forbidden, [EACCES, EPERM, EROFS]), (.nameTooLong, [ENAMETOOLONG]),
      (.nameRefused, [EILSEQ]), (.other, [EIO, ENOENT, EINVAL, 0, 9999]),
    ]
    for (kind, numbers) in kinds {
      for errno in numbers { #expect(SystemCallError(.pwrite, errno).kind == kind, "\(errno)") }
    }
    for call in [SystemCall.openat, .mkdirat, .renameat, .linkat, .fstatat] {
      #expect(SystemCallError(call, EINVAL).kind == .nameRefused)
    }
  }

  @Test func `is injected into its own thread only`() throws {
    let scratch = try Scratch()
    let place = try scratch.place("x")
    FaultTable.withFaults([Fault(.fstatat, persists: true, .failure(EIO))]) {
      #expect(throws: SystemCallError(.fstatat, EIO)) { try ExistingTarget.inspect(place) }
      nonisolated(unsafe) var found: ExistingTarget?
      let thread = Thread { found = try? ExistingTarget.inspect(place) }
      thread.start()
      while !thread.isFinished { usleep(1000) }
      #expect(found == .absent)
    }
  }

  @Test func `is recorded with names, offsets and bytes`() throws {
    let scratch = try Scratch()
    let calls = try FaultTable.recording {
      let directory = try TargetDirectory.open(path: Array(scratch.path.utf8))
      let part = try PartFile.create(directory.resolve([Array("x".utf8)]))
      try write([1, 2, 3], to: part, at: 5)
      try Publisher().publish(
        part, sidecar: nil, byteCount: 8, PublishOrder(isReplacing: true), syncs: true)
    }
    let pwrite = try #require(calls.first { $0.call == .pwrite })
    #expect(pwrite.file == scratch.path + "/x.swiftget-part" && pwrite.offset == 5 && pwrite.bytes == [1, 2, 3])
    let rename = try #require(calls.first { $0.call == .renameat })
    #expect(rename.file == scratch.path + "/x.swiftget-part" && rename.newName == scratch.path + "/x")
  }
}
