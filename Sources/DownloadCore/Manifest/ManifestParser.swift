/// Parses a list while its bytes arrive, and returns one entry at a time.
package protocol ManifestParser: Sendable {
  /// Takes the next bytes of the list, of any number. Call it when `next` returns nil.
  mutating func append(_ bytes: UnsafeRawBufferPointer)

  /// All bytes of the list were appended.
  mutating func end()

  /// The next entry. An error skips what is invalid; the following call goes on behind it.
  ///
  /// - Returns: nil if more bytes are needed, and at the end of the list.
  mutating func next() throws(ManifestError) -> ManifestEntry?

  /// The next entry that is not skipped.
  ///
  /// - Parameter isSkipped: is asked about plain entries, in the order of the list. A parser need not recognize any.
  mutating func next(skipping isSkipped: (PlainEntry) -> Bool) throws(ManifestError) -> ManifestEntry?
}

extension ManifestParser {
  package mutating func next(skipping isSkipped: (PlainEntry) -> Bool) throws(ManifestError) -> ManifestEntry? {
    try next()
  }
}
