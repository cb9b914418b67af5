/// An entry of a list that is valid and needs no further parsing: one URL or name without anything to decode.
///
/// The check before the start needs nothing but the name and the algorithms of an entry. Parsers of long lists offer plain
/// entries as they stand in the buffer, which costs a fifth of a `ListEntry` and of its request. All other lines are
/// parsed as usual, so only one place tells what is wrong with a line.
///
/// Its bytes are valid as long as the call lasts that gets it.
package struct PlainEntry {
  /// The target's name, for which `TargetName.isPlain` is true.
  package let name: UnsafeRawBufferPointer
  /// The part of the URL before its path, for example `https://example.org`, which libcurl may refuse. The rest of the
  /// URL is plain, see `PlainURL`. Nil if the entry has only a name.
  package let authority: UnsafeRawBufferPointer?
  /// Those of its digests. There may be more in it than the entry has.
  package let algorithms: DigestAlgorithmSet

  /// The entry of a URL list or a table.
  ///
  /// - Parameter out: the name that the list gives; nil takes that of the URL.
  /// - Returns: nil if the URL or the name is not plain.
  init?(url: UnsafeRawBufferPointer, out: UnsafeRawBufferPointer? = nil, algorithms: DigestAlgorithmSet = []) {
    guard let parts = PlainURL(url) else { return nil }
    self.init(
      name: out ?? UnsafeRawBufferPointer(rebasing: url[parts.nameStart..<parts.pathEnd]),
      authority: UnsafeRawBufferPointer(rebasing: url[..<parts.pathStart]), algorithms: algorithms)
  }

  /// - Returns: nil if the name is not plain.
  init?(name: UnsafeRawBufferPointer, authority: UnsafeRawBufferPointer? = nil, algorithms: DigestAlgorithmSet) {
    guard TargetName.isPlain(name) else { return nil }
    self.name = name
    self.authority = authority
    self.algorithms = algorithms
  }
}

extension ListEntry {
  /// Whether the entry is plain, and the closure returns true for it.
  ///
  /// - Parameter further: algorithms of digests that the entry will have besides.
  package func isSkipped(with further: DigestAlgorithmSet = [], by isSkipped: (PlainEntry) -> Bool) -> Bool {
    guard urls.count + (name == nil ? 0 : 1) == 1, directory == nil, pieces == nil, headers.isEmpty else {
      return false
    }
    var algorithms = further
    for digest in digests { algorithms.formUnion(DigestAlgorithmSet(digest.algorithm)) }
    guard let url = urls.first else {
      return name?.withUnsafeBytes { PlainEntry(name: $0, algorithms: algorithms).map(isSkipped) } ?? false
    }
    return url.withUnsafeBytes { url in
      guard let out else { return PlainEntry(url: url, algorithms: algorithms).map(isSkipped) ?? false }
      return out.withUnsafeBytes { PlainEntry(url: url, out: $0, algorithms: algorithms).map(isSkipped) ?? false }
    }
  }
}
