import Glibc
import Testing

@testable import DownloadCore
@testable import DownloadEngine
@testable import FileStore

@Suite struct `A failed local operation` {
  private static let operations: [(String, @Sendable (SystemCallError) -> DownloadError)] = [
    ("cannot write the part file", StorageErrors.writing), ("cannot open the part file", StorageErrors.opening),
    ("cannot write the sidecar", StorageErrors.recording),
    ("cannot bring the data to stable storage", StorageErrors.syncing),
    ("cannot read back what was written", StorageErrors.reading),
    ("cannot look at the target", StorageErrors.inspecting),
    ("cannot use the target's directory", StorageErrors.directory), ("cannot write the output", StorageErrors.output),
    ("cannot give the file its name", { StorageErrors.publishing(.systemCall($0)) }),
    ("cannot open the sidecar", { StorageErrors.locked(.systemCall($0)) }),
  ]

  @Test(arguments: operations.indices)
  func `says what failed and why`(index: Int) {
    let (words, make) = Self.operations[index]
    #expect(make(SystemCallError(.openat, EIO)) == DownloadError(.localIO, "\(words): Input/output error"))
    for errno in [EACCES, EPERM, EROFS] {
      let denied = make(SystemCallError(.openat, errno))
      #expect(denied.code == .localIO && denied.hint?.contains("another directory with -d") == true)
    }
    #expect(make(SystemCallError(.openat, ENAMETOOLONG)).hint == "choose a shorter name with -o")
    for errno in [ENOSPC, EDQUOT] {
      let full = make(SystemCallError(.pwrite, errno))
      #expect(full.code == .diskFull && full.message.hasPrefix("\(words): "))
      #expect(full.hint?.contains("free some space") == true && full.hint?.contains("goes on from here") == true)
    }
    let large = make(SystemCallError(.pwrite, EFBIG))
    #expect(large.code == .localIO && large.hint?.contains("ulimit -f") == true)
    for errno in [EMFILE, ENFILE] {
      let many = make(SystemCallError(.openat, errno))
      #expect(many.code == .localIO && many.hint?.contains("--jobs") == true)
    }
  }

  @Test func `of publishing is told apart`() {
    let appeared = StorageErrors.publishing(.targetAppeared)
    #expect(appeared.code == .localIO && appeared.hint?.contains("--if-exists replace") == true)
    let length = StorageErrors.publishing(.wrongLength(found: 7))
    #expect(length.code == .localIO && length.message.contains("7 bytes"))
  }

  @Test func `for another run is a code of its own`() {
    #expect(
      StorageErrors.locked(.held(process: 42))
        == DownloadError(.locked, "another run works on it (process 42)", hint: "wait until that run has ended"))
    #expect(StorageErrors.locked(.held(process: nil)).message == "another run works on it")
  }
}
