package import DownloadCore
package import DownloadScratch

/// A file to be hashed.
package struct HashJob: Sendable {
  /// Identifies the outcome.
  var number: Int
  var target: TargetChoice
  var algorithms: [DigestAlgorithm]
  var pieces: Pieces?
  /// A file of another length is not read.
  var expectedLength: Int64?

  /// The pieces to be hashed besides the whole.
  package struct Pieces: Sendable, Hashable {
    let algorithm: DigestAlgorithm
    /// Bytes of each piece but the last one; at least 1.
    let length: Int64

    package init(algorithm: DigestAlgorithm, length: Int64) {
      self.algorithm = algorithm
      self.length = length
    }
  }

  package init(
    number: Int, target: TargetChoice, algorithms: [DigestAlgorithm] = [], pieces: Pieces? = nil,
    expectedLength: Int64? = nil
  ) {
    self.number = number
    self.target = target
    self.algorithms = algorithms
    self.pieces = pieces
    self.expectedLength = expectedLength
  }
}

/// What hashing a file gave.
package struct HashOutcome: Sendable {
  package let number: Int
  package let result: Result<HashedContent, FileProblem>
}

/// The length and the digests of a file that did not change while it was read.
package struct HashedContent: Hashable, Sendable {
  /// Bytes.
  package var length: Int64
  /// In the order of the job's algorithms. Empty if there were none, or if the length is not the expected one.
  package var digests: [ContentDigest]
  /// One for each piece, in file order.
  package var pieces: [ContentDigest]

  package init(length: Int64, digests: [ContentDigest] = [], pieces: [ContentDigest] = []) {
    self.length = length
    self.digests = digests
    self.pieces = pieces
  }
}
