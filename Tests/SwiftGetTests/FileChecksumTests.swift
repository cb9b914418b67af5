import SwiftGet
import TestSupport
import Testing

/// Checksums of files that are there.
@Suite(.waiting) struct `Checksums` {
  @Test func `all forms of one digest are equal`() throws {
    let hex = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    let forms: [FileChecksum] = [
      .sha256(hex), .sha256(hex.uppercased()), FileChecksum("sha256:\(hex)"), FileChecksum("SHA-256=\(hex)"),
      FileChecksum("sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="), FileChecksum("1220\(hex)"),
    ]
    #expect(Set(forms).count == 1 && forms.allSatisfy { $0.isWellFormed && $0.algorithm == .sha256 })
    #expect(forms[4].description == "sha256:\(hex)" && forms[0].bytes?.count == 32)
    #expect(!FileChecksum.sha256("12").isWellFormed && FileChecksum("12").algorithm == nil)
    #expect(FileChecksum("12") != FileChecksum("13") && "\(FileChecksum("12"))" == "12")
  }

  @Test func `missing, unreadable, malformed and wrong are four errors`() async throws {
    let target = try TemporaryDirectory()
    let content = Content.generated(seed: 81, byteCount: 3_000_000)
    try content.write(to: target.path("f"))
    let right = FileChecksum.sha256(try content.hexDigest())
    try await FileChecksum.verify(target.path("f"), against: right)
    #expect(try await FileChecksum.compute(.sha256, of: target.path("f")) == right)
    #expect(try await FileChecksum.compute(.md5, of: target.path("f")) == .md5(try content.hexDigest("md5")))
    let missing = await thrown { try await FileChecksum.verify(target.path("g"), against: right) } as? DownloadError
    #expect(missing?.code == .localIO && missing?.errno == 2 && missing?.path == target.path("g"))
    #expect(await code { try await FileChecksum.verify(target.path, against: right) } == .localIO)
    #expect(await code { try await FileChecksum.verify(target.path("f"), against: .sha256("x")) } == .invalidValue)
    let wrong = FileChecksum.sha256(String(repeating: "0", count: 64))
    let mismatch = await thrown { try await FileChecksum.verify(target.path("f"), against: wrong) } as? DownloadError
    #expect(mismatch?.code == .integrity && mismatch?.cause == .checksumMismatch(expected: wrong, found: right))
  }

  @Test func `a check can be cancelled`() async throws {
    let check = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await FileChecksum.compute(.sha256, of: "/dev/zero")
    }
    await #expect(throws: CancellationError.self) { try await check.value }
  }
}
