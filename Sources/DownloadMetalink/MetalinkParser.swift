package import DownloadCore

/// Parses Metalink 4 and 3.
///
/// Bytes go from `append` to `XMLReader`, which has expat find the elements, and from there to a `MetalinkDocument`,
/// which makes entries of them. Expat is stopped behind each file, so there is never more than one.
///
/// Copies of a parser share their state.
package struct MetalinkParser: ListParser {
  private let reader: XMLReader

  package init(_ preferences: MetalinkPreferences = MetalinkPreferences()) {
    reader = XMLReader(MetalinkDocument(preferences))
  }

  /// Where the document comes from, as far as it has been read.
  package var origin: MetalinkOrigin { reader.document.origin }

  package mutating func append(_ bytes: UnsafeRawBufferPointer) { reader.append(bytes) }

  package mutating func end() { reader.end() }

  package mutating func next() throws(ListError) -> ListEntry? {
    switch reader.next() {
    case nil: return nil
    case .entry(let entry): return entry
    case .invalid(let error), .unreadable(let error): throw error
    }
  }
}
