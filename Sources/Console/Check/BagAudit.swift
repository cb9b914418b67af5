import DownloadCore
import LocalFiles

/// What `--check` finds out about a bag besides the results of its listed files (RFC 8493 section 3).
struct BagAudit {
  private let bag: BagContents
  private let filter: NameFilter

  init(_ bag: BagContents, _ filter: NameFilter) {
    self.bag = bag
    self.filter = filter
  }

  /// Looks at what is there.
  ///
  /// - Throws: what cannot be read.
  func findings() throws(DownloadError) -> [BagFinding] {
    let payload: BagPayload?
    do { payload = try bag.directory.payload() } catch { throw LocalFileMessages.error(error) }
    var findings = (bag.payload.manifests + bag.tags.manifests).filter { $0.algorithm == nil }.map {
      BagFinding.contradiction(place: bag.shown($0.name), .unknownAlgorithm($0.algorithmName))
    }
    guard let payload else {
      let place = Diagnostic.escaped(Redaction.name(bag.path))
      return findings + [.contradiction(place: place, .noPayloadDirectory)]
    }
    let wanted = payload.names.filter { filter.isEmpty || filter.wants($0) }
    findings += wanted.filter { !isListed($0) }.map { .unlisted($0) }
    // The number of all files says nothing about some of them.
    if filter.isEmpty, let stated = bag.oxum, stated.oxum != payload.oxum {
      findings.append(.contradiction(place: stated.place, .oxum(stated: stated.oxum, found: payload.oxum)))
    }
    return findings
  }

  private func isListed(_ name: [UInt8]) -> Bool {
    bag.payload.index(ofFile: name) { bag.directory.holds($0) } != nil
  }
}
