/// The files that manifests of a bag list, with the digests of all of them.
///
/// Names and digests are in stores. In memory: about 6 to 9 bytes for each file. Where a store has failed, what is returned
/// means nothing.
package final class BagListing {
  /// Where a file is listed.
  package struct Place: Hashable, Sendable {
    /// The name of the manifest.
    package let manifest: [UInt8]
    package let line: Int
  }

  private struct Manifest {
    let name: BagManifestName
    /// The rows of files that an earlier manifest lists, too.
    let rows: BagColumn
    /// The number of files that it lists.
    var fileCount = 0
  }

  private let makeStore: () -> any ByteStore
  /// The names. The value of each is the number of the manifest that lists the file first, and the row of that one.
  private let keys: DistinctStrings
  private var listed: [Manifest] = []
  /// A name has a percent sign that the RFC would have encoded, so that percent signs stand for themselves.
  private var keepsPercents = false

  /// - Parameter makeStore: called once for the names, and once for each manifest.
  package init(makeStore: @escaping () -> any ByteStore) {
    self.makeStore = makeStore
    keys = DistinctStrings(makeStore())
  }

  /// A listing in memory.
  package convenience init() { self.init { MemoryBytes() } }

  package var count: Int { keys.count }

  package var manifests: [BagManifestName] { listed.map(\.name) }

  /// Whether every manifest lists every file.
  package var isUniform: Bool { listed.allSatisfy { $0.fileCount == count } }

  // MARK: Adding

  /// Begins a further manifest, to which the following lines belong.
  package func begin(_ manifest: BagManifestName) {
    listed.append(Manifest(name: manifest, rows: BagColumn(manifest, makeStore())))
  }

  /// Adds a line of the manifest that was begun last.
  ///
  /// - Parameter allowsRepeats: whether a name may be listed twice with the same digest.
  package func add(_ line: BagManifestLine, allowsRepeats: Bool) throws(BagProblem) {
    if line.path.hasBarePercent { keepsPercents = true }
    let manifest = listed.count - 1
    let row = BagRow(line)
    let (file, isNew) = keys.insert(line.path.key, value: UInt32(manifest).bytes + row.bytes)
    if !isNew {
      if let earlier = self.row(of: file, in: manifest) {
        guard earlier.digest == line.digest else { throw .contradictoryDigests(line.path.key, line: earlier.line) }
        guard allowsRepeats else { throw .repeatedName(line.path.key, line: earlier.line) }
        return
      }
      listed[manifest].rows.set(row, of: file)
    }
    listed[manifest].fileCount += 1
  }

  // MARK: Looking up

  /// The file of a line of `fetch.txt`, whose writer may have encoded percent signs otherwise than that of the manifests.
  package func index(of path: BagPath) -> Int? {
    if let index = keys.number(of: path.key) { return index }
    guard path.key.contains(UInt8(ascii: "%")) else { return nil }
    return keys.number(of: BagPath.encodingPercents(path.key)) ?? keys.number(of: BagPath.decodingPercents(path.key))
  }

  /// The file of this name.
  ///
  /// - Parameter exists: whether there is a file of a name; asked where a percent sign may be encoded or not.
  package func index(ofFile name: [UInt8], exists: ([UInt8]) -> Bool) -> Int? {
    guard name.contains(UInt8(ascii: "%")) else { return keys.number(of: name) }
    for key in [BagPath.encodingPercents(name), name] {
      if let index = keys.number(of: key), self.name(at: index, exists: exists) == name { return index }
    }
    return nil
  }

  /// The name of a file. `%25` is a percent sign, unless the bag shows that its writer encoded none: another name has a
  /// percent sign that is not encoded, or only the name as it is written is there, and it is not that of another file.
  ///
  /// - Parameter exists: as for `index(ofFile:exists:)`.
  package func name(at index: Int, exists: ([UInt8]) -> Bool) -> [UInt8] {
    let key = keys[index]
    if keepsPercents || !key.contains(UInt8(ascii: "%")) { return key }
    let decoded = BagPath.decodingPercents(key)
    // `a%25` is the other name of `a%25`, and the name of `a%2525`.
    let isAmbiguous = keys.number(of: BagPath.encodingPercents(key)) == nil
    return isAmbiguous && !exists(decoded) && exists(key) ? key : decoded
  }

  /// The digests that the manifests with known algorithms have for a file.
  package func digests(at index: Int) -> [ContentDigest] {
    listed.indices.compactMap { row(of: index, in: $0)?.digest }
  }

  /// Where the first manifest that lists a file does so.
  package func place(of index: Int) -> Place? {
    for (number, manifest) in listed.enumerated() {
      if let row = row(of: index, in: number) { return Place(manifest: manifest.name.name, line: row.line) }
    }
    return nil
  }

  /// The first manifest that does not list a file; nil if all of them do.
  package func manifestWithout(_ index: Int) -> BagManifestName? {
    listed.indices.first { row(of: index, in: $0) == nil }.map { listed[$0].name }
  }

  private func row(of file: Int, in manifest: Int) -> BagRow? {
    let value = keys.value(of: file)
    // A store that has failed has no values.
    guard value.count > UInt32.byteCount else { return nil }
    let isFirst = UInt32(in: value, at: value.startIndex) == manifest
    return isFirst ? BagRow(value.dropFirst(UInt32.byteCount), listed[manifest].name) : listed[manifest].rows[file]
  }
}
