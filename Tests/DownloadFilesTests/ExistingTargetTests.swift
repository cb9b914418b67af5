import DownloadCore
@testable import DownloadFiles
import Foundation
import TestSupport
import Testing

@Suite struct `An existing target` {
  private let publisher = Publisher()
  private let time = FileTime(seconds: 1_500_000_000)
  private let scratch: Scratch
  private let bytes = pattern(5000)
  private let digest: ContentDigest

  init() throws {
    scratch = try Scratch()
    let computer = try #require(DigestComputer([.sha256]))
    pattern(5000).withUnsafeBytes { computer.update($0) }
    digest = computer.finish()[0]
    try #require(scratch.hasAttributes, "no extended attributes on \(scratch.path)")
    let file = SmallFile(
      place: try scratch.place("x"), body: FilledBlock(copying: bytes),
      PublishOrder(attributes: FileAttributes(digest: .found(digest), urlHash: 77), modified: time))
    for result in publisher.publishGroup([try publisher.stage(file, syncs: true)], syncs: true) { _ = try result.get() }
    try #require(isVouched)
  }

  private func found(_ name: String = "x") throws -> ExistingTarget.RegularFile {
    guard case .regular(let file) = try ExistingTarget.inspect(scratch.place(name)) else {
      throw SystemCallError(.openat, EINVAL)
    }
    return file
  }

  private var isVouched: Bool {
    guard let file = try? found() else { return false }
    return file.isVouched(for: digest) && file.isVouched(forURLHash: 77)
  }

  /// Dates the mark back by this time. The change time becomes the current time.
  private func age(of name: String = "x", bySeconds seconds: Int64) throws {
    let descriptor = try SystemCalls.openat(scratch.directory.base.raw, Array(name.utf8), O_RDWR)
    let bytes = try #require(FileAttributes.read(.verified, of: descriptor.raw))
    var mark = try #require(VerifiedMark(bytes: bytes))
    mark.writtenAt -= seconds
    try SystemCalls.fsetxattr(descriptor.raw, .verified, mark.bytes)
  }

  @Test func `is vouched for while it is unchanged since publication`() throws {
    try age(bySeconds: 3)
    #expect(isVouched)
    // A chmod, a link or a change with restored size and time sets a later change time.
    try age(bySeconds: 60)
    #expect(!isVouched)
    #expect(try found().verified != nil)
  }

  @Test func `whose content was changed and whose time was restored is not vouched for`() throws {
    try age(bySeconds: 3)
    pause(seconds: 3.5)
    #expect(isVouched, "time alone does nothing to a file")
    let descriptor = try SystemCalls.openat(scratch.directory.base.raw, Array("x".utf8), O_RDWR)
    try SystemCalls.pwriteAll(descriptor.raw, [1, 2, 3], at: 100)
    try SystemCalls.futimens(descriptor.raw, modified: time)
    #expect(try found().size == 5000 && found().modified == time)
    #expect(!isVouched)
  }

  @Test(.enabled(if: geteuid() == 0)) func `of another owner is not vouched for`() throws {
    #expect(chown(scratch.path + "/x", 65534, 65534) == 0)
    #expect(!isVouched)
    #expect(try found().verified == nil && found().size == 5000)
    #expect(chown(scratch.path + "/x", 0, 0) == 0)
    #expect(isVouched)
  }

  @Test func `is inspected with few system calls`() throws {
    let place = try scratch.place("x")
    let calls = try FaultTable.recording { _ = try ExistingTarget.inspect(place) }
    // Linux 6.13 reads attributes by names.
    if place.directory.readsNamedAttributes {
      #expect(calls.map(\.call) == [.fstatat, .getxattrat])
    } else {
      #expect(calls.map(\.call) == [.fstatat, .getxattrat, .openat, .fgetxattr, .close])
    }
  }

  /// ENOSYS is the answer of an older kernel, EPERM that of a filter of system calls.
  @Test(arguments: [ENOSYS, EPERM]) func `is opened where attributes cannot be read by names`(errno: Int32) throws {
    let place = try scratch.place("x")
    let calls = try FaultTable.withFaults([Fault(.getxattrat, persists: true, .failure(errno))]) {
      try FaultTable.recording {
        for _ in 0..<2 {
          guard case .regular(let file) = try ExistingTarget.inspect(place) else {
            throw SystemCallError(.openat, EINVAL)
          }
          #expect(file.isVouched(for: digest) && file.isVouched(forURLHash: 77))
        }
      }
    }
    // The kernel is asked once.
    let opened: [SystemCall] = [.openat, .fgetxattr, .close]
    #expect(calls.map(\.call) == [.fstatat, .getxattrat] + opened + [.fstatat] + opened)
  }

  @Test func `that cannot be read has no mark, and is asked for by its name again`() throws {
    let place = try scratch.place("x")
    // Another error says nothing about the kernel.
    let isSupported = place.directory.readsNamedAttributes
    let file = try FaultTable.withFaults([Fault(.getxattrat, .failure(EIO))]) { try ExistingTarget.inspect(place) }
    guard case .regular(let found) = file else { throw SystemCallError(.fstatat, EINVAL) }
    #expect(found.verified == nil && found.size == 5000)
    #expect(place.directory.readsNamedAttributes == isSupported)
  }

  @Test func `is opened once for several attributes`() throws {
    let place = try scratch.place("x")
    let descriptor = try SystemCalls.openat(place.directory.raw, place.name, O_RDWR)
    let tag = try #require(EntityTag(parsing: Array("\"a\"".utf8)))
    try SystemCalls.fsetxattr(descriptor.raw, .entityTag, tag.bytes)
    for errno in [nil, ENOSYS] {
      let faults = errno.map { [Fault(.getxattrat, persists: true, .failure($0))] } ?? []
      let calls = try FaultTable.withFaults(faults) {
        try FaultTable.recording {
          guard case .regular(let file) = try ExistingTarget.inspect(place, reading: .markAndEntityTag) else {
            throw SystemCallError(.openat, EINVAL)
          }
          #expect(file.entityTag == tag && file.isVouched(for: digest))
        }
      }
      #expect(calls.count { $0.call == .openat } <= 1)
    }
  }

  /// It is of the answer that brought the file, and the mark may name another URL now.
  @Test func `loses a recorded entity tag with a new mark that has none`() throws {
    let place = try scratch.place("x")
    let descriptor = try SystemCalls.openat(place.directory.raw, place.name, O_RDWR)
    try SystemCalls.fsetxattr(descriptor.raw, .entityTag, Array("\"a\"".utf8))
    #expect(ExistingTarget.entityTag(of: place) != nil)
    let file = try ExistingFile(place)
    try file.mark(FileAttributes(digest: .found(digest), urlHash: 78))
    #expect(ExistingTarget.entityTag(of: place) == nil)
    guard case .regular(let found) = try ExistingTarget.inspect(place) else { throw SystemCallError(.openat, EINVAL) }
    #expect(found.markedURLHash == 78 && found.isVouched(for: digest))
  }

  @Test func `with a damaged mark is never vouched for another content`() throws {
    let descriptor = try SystemCalls.openat(scratch.directory.base.raw, Array("x".utf8), O_RDWR)
    let bytes = try #require(FileAttributes.read(.verified, of: descriptor.raw))
    let other = ContentDigest(.sha256, repeating: 7)
    let marks: [[UInt8]] = [
      [], [1], bytes + [0], [UInt8](repeating: 1, count: 1000), [2] + bytes.dropFirst(),
    ]
    for damaged in marks {
      try SystemCalls.fsetxattr(descriptor.raw, .verified, damaged)
      #expect(try found().verified == nil && found().size == 5000, "\(damaged.count)")
      #expect(try !isVouched && !found().isVouched(for: other))
    }
  }

  @Test func `that was verified again is marked and vouched for again`() throws {
    try age(bySeconds: 60)
    let file = try ExistingFile(scratch.place("x"))
    let old = try found().changed.seconds
    pause(seconds: 1.1)
    try file.mark(FileAttributes(digest: .found(digest), urlHash: 77))
    #expect(isVouched)
    let text = try #require(try scratch.attribute(.verified, of: "x"))
    let mark = try #require(VerifiedMark(bytes: Array(text.utf8)))
    #expect(mark.writtenAt > old, "of the time when the file was marked, not of its last change before")
  }

  @Test func `that was changed while it was read is not marked`() throws {
    try age(bySeconds: 60)
    let file = try ExistingFile(scratch.place("x"))
    // The kernel's clock for change times is coarse.
    pause(seconds: 0.05)
    let descriptor = try SystemCalls.openat(scratch.directory.base.raw, Array("x".utf8), O_RDWR)
    try SystemCalls.pwriteAll(descriptor.raw, [1, 2, 3], at: 100)
    try SystemCalls.futimens(descriptor.raw, modified: time)
    try file.mark(FileAttributes(digest: .found(digest), urlHash: 77))
    #expect(!isVouched)
  }

  // MARK: An index

  /// What an index may have of the file, and whether its attributes are read all the same.
  private func readsAttributes(_ noted: FinishedFile) throws -> Bool {
    var mark: VerifiedMark?
    let calls = try FaultTable.recording {
      guard case .regular(let file) = try ExistingTarget.inspect(scratch.place("x"), noted: noted) else { return }
      mark = file.believedMark
    }
    let isRead = calls.contains { [.getxattrat, .fgetxattr, .openat].contains($0.call) }
    #expect(isRead || mark == noted.mark)
    return isRead
  }

  @Test func `that an index remembers is looked at once, and only while it is the same`() throws {
    let file = try found()
    let mark = try #require(file.believedMark)
    func noted(
      inode: UInt64 = file.inode, size: Int64 = file.size, modified: FileTime = file.modified,
      writtenAt: Int64 = mark.writtenAt
    ) -> FinishedFile {
      FinishedFile(
        inode: inode,
        mark: VerifiedMark(digest: digest, size: size, modified: modified, writtenAt: writtenAt, url: .hash(77)),
        urlHash: nil, isMarked: true)
    }
    #expect(try !readsAttributes(noted()))
    #expect(try readsAttributes(noted(inode: file.inode + 1)))
    #expect(try readsAttributes(noted(size: file.size + 1)))
    #expect(try readsAttributes(noted(modified: FileTime(seconds: time.seconds, nanoseconds: 1))))
    #expect(try readsAttributes(noted(writtenAt: file.changed.seconds + 1)))
    #expect(try readsAttributes(noted(writtenAt: file.changed.seconds - 6)))
    // The same content under the name, in another file.
    try Content.bytes(bytes).write(to: scratch.path + "/y")
    let descriptor = try SystemCalls.openat(scratch.directory.base.raw, Array("y".utf8), O_RDWR)
    try SystemCalls.futimens(descriptor.raw, modified: time)
    #expect(rename(scratch.path + "/y", scratch.path + "/x") == 0)
    #expect(try readsAttributes(noted()))
  }

  @Test func `is remembered as it was published, and as it was verified again`() throws {
    let file = try found()
    let published = try #require(file.finished)
    #expect(published.isMarked && published.inode == file.inode && published.mark.url == .hash(77))
    #expect(try !readsAttributes(published))
    try age(bySeconds: 60)
    #expect(try found().finished == nil)
    let again = try #require(
      try ExistingFile(scratch.place("x")).mark(FileAttributes(digest: .found(digest), urlHash: 77)))
    #expect(try again.isMarked && !readsAttributes(again))
  }

  @Test func `of a file system without attributes is remembered until its next change`() throws {
    let noted = try FaultTable.withFaults([Fault(.fsetxattr, persists: true, .failure(ENOTSUP))]) {
      try ExistingFile(scratch.place("x")).mark(FileAttributes(digest: .found(digest), urlHash: 77))
    }
    let unmarked = try #require(noted)
    #expect(try !unmarked.isMarked && !readsAttributes(unmarked))
    // The marks of files that have just been published allow changes in the seconds after them.
    pause(seconds: 1.1)
    let descriptor = try SystemCalls.openat(scratch.directory.base.raw, Array("x".utf8), O_RDWR)
    try SystemCalls.pwriteAll(descriptor.raw, [1, 2, 3], at: 100)
    try SystemCalls.futimens(descriptor.raw, modified: time)
    #expect(try readsAttributes(unmarked))
  }
}
