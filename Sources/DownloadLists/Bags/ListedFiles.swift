package import DownloadCore
internal import DownloadScratch

/// The files that manifests of a bag list. What is known of many files waits in temporary files.
///
/// Every method throws where one of those cannot be made, written or read.
package final class ListedFiles {
  private let listing: BagListing
  private let directory: BagDirectory
  private let stores = TemporaryStores()

  init(_ directory: BagDirectory) {
    self.directory = directory
    listing = BagListing { [stores] in stores.make() }
  }

  var count: Int { listing.count }

  package var manifests: [BagManifestName] { listing.manifests }

  /// The known algorithms of the manifests.
  private(set) var algorithms: DigestAlgorithmSet = []

  func begin(_ manifest: BagManifestName) {
    listing.begin(manifest)
    if let algorithm = manifest.algorithm { algorithms.formUnion(DigestAlgorithmSet(algorithm)) }
  }

  /// - Returns: what is wrong with the line.
  func add(_ line: BagManifestLine, allowsRepeats: Bool) throws(Failure) -> BagProblem? {
    try stored { listing in
      do throws(BagProblem) { try listing.add(line, allowsRepeats: allowsRepeats) } catch { return error }
      return nil
    }
  }

  func index(of path: BagPath) throws(Failure) -> Int? { try stored { $0.index(of: path) } }

  package func index(ofFile name: [UInt8]) throws(Failure) -> Int? {
    try stored { $0.index(ofFile: name) { directory.hasFile($0) } }
  }

  /// Relative to the bag.
  func name(at index: Int) throws(Failure) -> [UInt8] {
    try stored { $0.name(at: index) { directory.hasFile($0) } }
  }

  func digests(at index: Int) throws(Failure) -> [ContentDigest] { try stored { $0.digests(at: index) } }

  func place(of index: Int) throws(Failure) -> BagListing.Place? { try stored { $0.place(of: index) } }

  /// Whether every manifest lists every file.
  var areInAllManifests: Bool { listing.isUniform }

  /// The first manifest that does not list a file; nil if all of them do.
  func manifestWithout(_ index: Int) throws(Failure) -> BagManifestName? {
    try stored { $0.manifestWithout(index) }
  }

  private func stored<Value>(_ body: (BagListing) -> Value) throws(Failure) -> Value {
    let value = body(listing)
    try stores.requireSound()
    return value
  }
}
