/// What a list says about the content of one file.
package struct StatedContent: Hashable, Sendable {
  /// At most one for each algorithm. All must match.
  package internal(set) var digests: [ContentDigest]
  /// Bytes; nil where it is not stated.
  package internal(set) var length: Int64?

  package init(digests: [ContentDigest] = [], length: Int64? = nil) {
    self.digests = digests
    self.length = length
  }
}
