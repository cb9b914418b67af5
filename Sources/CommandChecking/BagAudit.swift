package import DownloadCore
package import DownloadLists
internal import DownloadScratch
internal import DownloadWords

/// What `--check` finds out about a bag besides the results of its listed files (RFC 8493 section 3).
package struct BagAudit {
  private let bag: BagContents
  private let filter: NameFilter

  package init(_ bag: BagContents, _ filter: NameFilter) {
    self.bag = bag
    self.filter = filter
  }

  /// Looks at what is there.
  ///
  /// - Throws: what cannot be read.
  package func findings() throws(Failure) -> [BagFinding] {
    var findings = (bag.payload.manifests + bag.tags.manifests).filter { $0.algorithm == nil }.map {
      BagFinding.contradiction(place: bag.shown($0.name), .unknownAlgorithm($0.algorithmName))
    }
    guard var payload = try read({ () throws(FileFailure) in try bag.directory.payload() }) else {
      let place = Diagnostic.escaped(Redaction.name(bag.path))
      return findings + [.contradiction(place: place, .noPayloadDirectory)]
    }
    findings += try unlisted(of: &payload).map { .unlisted($0) }
    // The number of all files says nothing about some of them.
    if filter.isEmpty, let stated = bag.oxum, stated.oxum != payload.oxum {
      findings.append(.contradiction(place: stated.place, .oxum(stated: stated.oxum, found: payload.oxum)))
    }
    return findings
  }

  /// Reads everything below the payload directory.
  ///
  /// - Returns: the names of regular files in their order, and then those of other ones.
  private func unlisted(of payload: inout BagPayload) throws(Failure) -> [[UInt8]] {
    var files: [[UInt8]] = []
    var others: [[UInt8]] = []
    while let entry = try read({ () throws(FileFailure) in try payload.next() }) {
      guard filter.isEmpty || filter.wants(entry.name) else { continue }
      if try bag.payload.index(ofFile: entry.name) != nil { continue }
      if entry.isRegular { files.append(entry.name) } else { others.append(entry.name) }
    }
    return [files, others].flatMap { names in names.sorted { $0.lexicographicallyPrecedes($1) } }
  }

  private func read<Value>(_ body: () throws(FileFailure) -> Value) throws(Failure) -> Value {
    do { return try body() } catch { throw LocalFileMessages.error(error) }
  }
}
