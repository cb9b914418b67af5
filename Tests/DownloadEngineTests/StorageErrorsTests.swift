import Foundation
import Glibc
import TestSupport
import Testing

@testable import DownloadCore
@testable import DownloadEngine
@testable import DownloadFiles

@Suite(.waiting) struct `A failed local operation` {
  private static let directory = Array("some/where".utf8)
  private static let operations: [(LocalFailure.Operation, @Sendable (SystemCallError) -> Failure)] = [
    (.writePart, StorageErrors.writing), (.openPart, StorageErrors.opening),
    (.openPart, { StorageErrors.opening(.systemCall($0)) }),
    (.writeSidecar, StorageErrors.recording), (.syncContent, StorageErrors.syncing),
    (.readPart, StorageErrors.reading), (.inspectTarget, StorageErrors.inspecting),
    (.useDirectory, { StorageErrors.directory(DirectoryError(directory, $0)) }), (.writeOutput, StorageErrors.output),
    (.nameTarget, { StorageErrors.publishing(.systemCall($0)) }),
    (.syncDirectory, { StorageErrors.publishing(.directorySync($0)) }),
    (.openSidecar, { StorageErrors.locked(.systemCall($0)) }),
    (.rename, { StorageErrors.renaming(.systemCall($0)) }),
  ]

  @Test(arguments: operations.indices)
  func `says what failed, of what, and why`(index: Int) {
    let (operation, make) = Self.operations[index]
    let kinds: [(Int32, LocalFailure.Kind, Failure.Code)] = [
      (EIO, .other, .localIO), (EACCES, .forbidden, .localIO), (ENAMETOOLONG, .nameTooLong, .localIO),
      (ENOSPC, .outOfSpace, .diskFull), (EDQUOT, .outOfSpace, .diskFull), (EFBIG, .fileTooLarge, .localIO),
      (EMFILE, .outOfDescriptors, .localIO),
    ]
    for (errno, kind, code) in kinds {
      let error = make(SystemCallError(.openat, errno))
      let path = operation == .useDirectory ? Self.directory : nil
      #expect(
        error == Failure(.local(LocalFailure(operation, path: path, call: "openat", errno: errno, kind: kind))))
      #expect(error.code == code, "\(errno)")
    }
  }

  @Test func `has a row for each operation`() {
    // Removing the sidecar, syncing and creating a directory are told apart by their system calls. Whether the
    // directory or the file is at fault depends on the directory. The command saves cookies.
    let told = Self.operations.map(\.0) + [.removeSidecar, .createDirectory, .writeDirectory, .saveCookies]
    #expect(Set(told) == Set(LocalFailure.Operation.allCases))
  }

  @Test func `of a directory names the directory that cannot be created`() {
    let error = StorageErrors.directory(DirectoryError(Self.directory, SystemCallError(.mkdirat, EACCES)))
    let failure = LocalFailure(
      .createDirectory, path: Self.directory, call: "mkdirat", errno: EACCES, kind: .forbidden)
    #expect(error == Failure(.local(failure)))
    let slash = StorageErrors.directory(DirectoryError(Self.directory, SystemCallError(.openat, EISDIR)))
    #expect(slash == Failure(.targetTaken(by: .directory)))
  }

  @Test func `is blamed on a directory that takes no files`() throws {
    let scratch = try TemporaryDirectory()
    try FileManager.default.createDirectory(atPath: scratch.path("d"), withIntermediateDirectories: false)
    let place = try TargetDirectory.open(path: Array(scratch.path("d").utf8)).resolve([Array("f".utf8)])
    let refused = StorageErrors.opening(SystemCallError(.openat, EACCES))
    let missing = StorageErrors.writing(SystemCallError(.openat, ENOENT))
    let broken = StorageErrors.writing(SystemCallError(.pwrite, EIO))
    for error in [refused, missing, broken] { #expect(StorageErrors.blamed(error, at: place) == error) }
    #expect(rmdir(scratch.path("d")) == 0)
    let failure = LocalFailure(
      .writeDirectory, path: Array(scratch.path("d").utf8), call: "openat", errno: ENOENT, kind: .other)
    for error in [refused, missing] {
      #expect(StorageErrors.blamed(error, at: place) == Failure(.local(failure)))
    }
    #expect(StorageErrors.blamed(broken, at: place) == broken)
  }

  @Test func `of publishing is told apart`() {
    func operation(_ call: SystemCall) -> LocalFailure.Operation? {
      guard case .local(let failure) = StorageErrors.publishing(.systemCall(SystemCallError(call, EIO))).cause else {
        return nil
      }
      return failure.operation
    }
    #expect(operation(.unlinkat) == .removeSidecar)
    #expect(operation(.fsync) == .syncContent && operation(.fdatasync) == .syncContent)
    #expect(operation(.renameat) == .nameTarget && operation(.linkat) == .nameTarget)
    #expect(StorageErrors.publishing(.targetAppeared) == Failure(.targetTaken(by: .newFile)))
    #expect(StorageErrors.publishing(.wrongLength(found: 7)) == Failure(.partLengthChanged(found: 7)))
    #expect(StorageErrors.publishing(.partReplaced) == Failure(.partReplaced))
  }

  @Test func `for another run is a code of its own`() {
    let error = StorageErrors.locked(.held(process: 42))
    #expect(error == Failure(.locked(process: 42)) && error.code == .locked)
    #expect(StorageErrors.locked(.held(process: nil)) == Failure(.locked(process: nil)))
  }

  @Test func `for a file of somebody else names that`() {
    let file = ForeignFile(name: Array("x.swiftget".utf8), .unsigned)
    #expect(StorageErrors.locked(.foreign(file)) == Failure(.foreignFile(file)))
    #expect(StorageErrors.opening(.foreign(file)) == Failure(.foreignFile(file)))
  }
}
