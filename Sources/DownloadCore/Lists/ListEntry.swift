/// One file of a list, before names are checked and URLs parsed.
///
/// Most formats give `urls`. A checksum list gives `name`, or `urls` where the name is a URL.
package struct ListEntry: Hashable, Sendable {
  /// The entry's first line, counted from 1.
  package var lineNumber: Int
  /// The mirrors of the file, the preferred one first, as written but without fragments. URLs, or relative references
  /// where the parser allows them.
  package var urls: [[UInt8]] = []
  /// The file's name in a checksum list, unescaped, without leading `./`, unchecked.
  package var name: [UInt8]?
  /// The target that the list names (`out=` of aria2), relative to `directory`, unchecked.
  package var out: [UInt8]?
  /// Whether `out` may be absolute, if the list may name such places at all. `directory` means nothing then.
  package var outMayBeAbsolute = false
  /// Whether the list encodes line breaks in names, so that those of `out` are meant.
  package var hasEncodedLineBreaks = false
  /// aria2's `dir=`.
  package var directory: [UInt8]?
  /// At most one per algorithm.
  package var digests: [ContentDigest] = []
  /// Whether the list has a digest of an algorithm that is not known, where the format allows any.
  package var hasUnknownDigest = false
  /// The file's length in bytes, at least 0.
  package var size: Int64?
  package var pieces: PieceHashes?
  /// The values of `ColumnRules.variables`, in their order; none where the format has no columns.
  package var variables: [[UInt8]] = []
  /// `Name: value` lines without control characters.
  package var headers: [[UInt8]] = []
  /// Whether the list says that the URLs come from the network, so that naming them does not make their origins trusted.
  package var isUntrusted = false

  package init(lineNumber: Int) { self.lineNumber = lineNumber }
}

/// An invalid line, or an invalid entry that begins there.
package struct ListError: Error, Hashable, Sendable {
  /// Counted from 1.
  package var lineNumber: Int
  package var problem: ListProblem

  package init(lineNumber: Int, _ problem: ListProblem) {
    self.lineNumber = lineNumber
    self.problem = problem
  }
}
