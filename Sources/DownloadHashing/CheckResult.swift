package import DownloadCore
package import DownloadScratch

/// What checking a file on this machine against a list has shown.
package enum CheckResult: Hashable, Sendable {
  /// All digests that are known are right, and the length if it is known.
  case verified
  /// The length is right, and the list has no digest.
  case sizeOnly
  case differs(Difference)
  /// There is a file, and nothing to verify it with.
  case unverified
  /// All digests that the list has for the file are of unknown algorithms.
  case uncomparable
  /// No file, or something else in its place.
  case absent(FileProblem)
  /// The file could not be read, so nothing is known about it.
  case unreadable(FileProblem)

  package enum Difference: Hashable, Sendable {
    case length(found: Int64, expected: Int64)
    case digest(DigestMismatch)
    /// The file has another number of pieces than the list.
    case pieceCount(found: Int, expected: Int)
  }

  /// What must be computed to check a file.
  package static func job(number: Int, _ request: FileRequest) -> HashJob {
    let pieces = request.digests.isEmpty ? request.pieces : nil
    return HashJob(
      number: number, target: request.target, algorithms: request.digests.map(\.algorithm),
      pieces: pieces.map { HashJob.Pieces(algorithm: $0.algorithm, length: $0.length) },
      expectedLength: request.expectedLength)
  }

  /// - Parameter result: of the job that `job` has made of the request.
  package init(_ request: FileRequest, _ result: Result<HashedContent, FileProblem>) {
    switch result {
    case .failure(let problem):
      switch problem {
      case .missing, .obstacle: self = .absent(problem)
      case .failed, .changed, .uncomputable, .noThreads, .stopped: self = .unreadable(problem)
      }
    case .success(let content): self.init(request, content)
    }
  }

  private init(_ request: FileRequest, _ content: HashedContent) {
    if let expected = request.expectedLength, expected != content.length {
      self = .differs(.length(found: content.length, expected: expected))
      return
    }
    switch DigestComparison(expected: request.digests.map { ExpectedDigest($0, .given) }, computed: content.digests) {
    case .verified: self = .verified
    case .mismatch(let expected, let actual):
      self = .differs(.digest(DigestMismatch(expected: expected.digest, actual: actual)))
    case .notComputed: self = .unreadable(.uncomputable)
    case .unverified:
      if let pieces = request.pieces {
        self = Self.compared(pieces, content)
      } else {
        self = request.hasUnknownDigest ? .uncomparable : request.expectedLength == nil ? .unverified : .sizeOnly
      }
    }
  }

  private static func compared(_ expected: PieceHashes, _ content: HashedContent) -> CheckResult {
    guard content.pieces.count == expected.digests.count else {
      return .differs(.pieceCount(found: content.pieces.count, expected: expected.digests.count))
    }
    for (index, (one, other)) in zip(expected.digests, content.pieces).enumerated() where one != other {
      let range = expected.range(of: index, completeLength: content.length)
      return .differs(.digest(DigestMismatch(expected: one, actual: other, range: range)))
    }
    return .verified
  }
}
