import DownloadCore
import Testing

@testable import DownloadHashing
@testable import DownloadScratch

@Suite struct `The result on a file` {
  private static let right = ContentDigest(.md5, Array(repeating: 1, count: 16))!
  private static let wrong = ContentDigest(.md5, Array(repeating: 2, count: 16))!
  private static let other = ContentDigest(.sha1, Array(repeating: 3, count: 20))!
  private static let pieces = PieceHashes(length: 4, digests: [right, wrong])!

  private func request(
    _ digests: [ContentDigest] = [], length: Int64? = nil, pieces: PieceHashes? = nil
  ) -> FileRequest {
    FileRequest(
      task: 0, mirrors: [], target: .listed([[0x61]]), digests: digests, pieces: pieces, expectedLength: length)
  }

  private func result(_ request: FileRequest, _ content: HashedContent) -> CheckResult {
    CheckResult(request, .success(content))
  }

  @Test func `is good only if the length and all digests are right`() {
    let content = HashedContent(length: 7, digests: [Self.right, Self.other])
    #expect(result(request([Self.right, Self.other], length: 7), content) == .verified)
    #expect(result(request([Self.right, Self.other]), content) == .verified)
    #expect(
      result(request([Self.right, Self.other], length: 8), content)
        == .differs(.length(found: 7, expected: 8)))
    #expect(
      result(request([Self.other, Self.wrong], length: 7), content)
        == .differs(.digest(DigestMismatch(expected: Self.wrong, actual: Self.right))))
  }

  @Test func `is not good if an expected digest was not computed`() {
    let content = HashedContent(length: 7, digests: [Self.right])
    #expect(result(request([Self.right, Self.other]), content) == .unreadable(.uncomputable))
  }

  @Test func `tells where only the length was compared, and is open with nothing to compare`() {
    #expect(result(request(length: 7), HashedContent(length: 7)) == .sizeOnly)
    #expect(result(request(), HashedContent(length: 7)) == .unverified)
    for length in [7, nil] as [Int64?] {
      var request = request(length: length)
      request.hasUnknownDigest = true
      #expect(result(request, HashedContent(length: 7)) == .uncomparable)
    }
  }

  @Test func `comes from the pieces where there is no digest of the whole`() {
    let content = HashedContent(length: 7, pieces: [Self.right, Self.wrong])
    #expect(result(request(pieces: Self.pieces), content) == .verified)
    let damaged = HashedContent(length: 7, pieces: [Self.right, Self.right])
    #expect(
      result(request(pieces: Self.pieces), damaged)
        == .differs(.digest(DigestMismatch(expected: Self.wrong, actual: Self.right, range: 4..<7))))
    let short = HashedContent(length: 4, pieces: [Self.right])
    #expect(result(request(pieces: Self.pieces), short) == .differs(.pieceCount(found: 1, expected: 2)))
    #expect(CheckResult.job(number: 3, request(pieces: Self.pieces)).pieces?.length == 4)
    #expect(CheckResult.job(number: 3, request([Self.right], pieces: Self.pieces)).pieces == nil)
  }

  @Test(arguments: [FileProblem.missing] + FileProblem.Obstacle.allCases.map { .obstacle($0) })
  func `says that there is no file`(problem: FileProblem) {
    #expect(CheckResult(request([Self.right]), .failure(problem)) == .absent(problem))
  }

  @Test(arguments: [FileProblem.failed(.read, errno: 5), .changed, .uncomputable, .noThreads, .stopped])
  func `knows nothing of a file that was not read`(problem: FileProblem) {
    #expect(CheckResult(request([Self.right]), .failure(problem)) == .unreadable(problem))
  }
}
