import DownloadCore
@testable import FileStore
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
      attributes: FileAttributes(digest: .found(digest), urlHash: 77),
      modified: time)
    for result in publisher.publishGroup([try publisher.stage(file, syncs: true)], syncs: true) { try result.get() }
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
    let calls = try FaultTable.recording { _ = try ExistingTarget.inspect(scratch.place("x")) }
    #expect(calls.map(\.call) == [.fstatat, .openat, .fgetxattr, .close])
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
}
