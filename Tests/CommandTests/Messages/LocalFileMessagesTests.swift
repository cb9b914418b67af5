import DownloadCore
import DownloadListWriting
import Testing

@testable import CommandChecking
@testable import DownloadScratch
@testable import DownloadWords

@Suite struct `Words of local files` {
  @Test(
    arguments: [FileProblem.missing, .changed, .uncomputable, .noThreads, .stopped]
      + FileProblem.Obstacle.allCases.map { .obstacle($0) }
      + FileProblem.Operation.allCases.map { .failed($0, errno: 13) })
  func `say what happened to a file`(problem: FileProblem) {
    let facts: [String] = if case .failed = problem { ["cannot ", "Permission denied"] } else { [] }
    Wording.check(
      LocalFileMessages.message(problem), hint: LocalFileMessages.hint(problem), facts: facts, "\(problem)")
    let error = LocalFileMessages.error(FileFailure(Array("d/\u{1b}".utf8), problem))
    #expect(error.code == .localIO && error.message.hasPrefix("d/\\x1b: "))
  }

  @Test func `say what differs`() {
    let mismatch = DigestMismatch(expected: Wording.digest, actual: Wording.otherDigest, range: 0..<5)
    Wording.check(
      LocalFileMessages.message(.digest(mismatch)), facts: ["0-4", Wording.digest.hex, Wording.otherDigest.hex],
      "digest")
    Wording.check(LocalFileMessages.message(.length(found: 7, expected: 8)), facts: ["7", "8"], "length")
    Wording.check(LocalFileMessages.message(.pieceCount(found: 7, expected: 8)), facts: ["7", "8"], "pieces")
  }

  @Test(arguments: LeftOutFile.Reason.allCases) func `say what is left out`(reason: LeftOutFile.Reason) {
    Wording.check(LocalFileMessages.message(reason), facts: [], "\(reason)")
    let error = LocalFileMessages.error(
      .unlisted([LeftOutFile(name: Array("x".utf8), reason: reason)]), directory: Array("d".utf8))
    Wording.check(error.message, hint: error.hint(), facts: ["x: "], "\(reason)")
  }

  @Test func `say why a directory does not become a bag`() {
    for (refusal, fact) in [(BagInPlace.Refusal.isBag, "d: "), (.collision(Array("x".utf8)), "x: ")] {
      let error = LocalFileMessages.error(refusal, directory: Array("d".utf8))
      Wording.check(error.message, hint: error.hint(), facts: [fact], "\(refusal)")
    }
  }

  @Test(arguments: NameRefusal.allCases) func `say which names cannot be written`(refusal: NameRefusal) {
    Wording.check(
      ManifestMessages.reason(refusal, .metalink), hint: ManifestMessages.nameHint, facts: ["metalink"], "\(refusal)")
  }

  @Test(arguments: [AlgorithmRefusal.ambiguous(.sha256, .sha3_256), .unnamed(.blake2b)])
  func `say which algorithms cannot be written`(refusal: AlgorithmRefusal) {
    Wording.check(
      ManifestMessages.reason(refusal, .gnu), hint: ManifestMessages.hint(refusal), facts: ["gnu"], "\(refusal)")
  }
}
