/// The files that manifests of a bag list, with the digests of all of them.
///
/// Held in memory: for each file its name, its digests, and 4 bytes for each manifest besides about 16.
package struct BagListing: Sendable {
  /// What one manifest says.
  fileprivate struct Column: Sendable {
    let name: BagManifestName
    /// The digests, one file after the other; zeros where the manifest does not list the file.
    var digests: [UInt8] = []
    /// The line of each file; 0 where the manifest does not list it.
    var lines: [UInt32] = []
  }

  /// Where a file is listed.
  package struct Place: Hashable, Sendable {
    /// The name of the manifest.
    package let manifest: [UInt8]
    package let line: Int
  }

  private var columns: [Column] = []
  private var keys = ByteStrings()
  /// A name has a percent sign that the RFC would have encoded, so that percent signs stand for themselves.
  private var keepsPercents = false

  package init() {}

  package var count: Int { keys.count }

  package var manifests: [BagManifestName] { columns.map(\.name) }

  // MARK: Adding

  /// Begins a further manifest, to which the following lines belong.
  package mutating func begin(_ manifest: BagManifestName) { columns.append(Column(name: manifest)) }

  /// Adds a line of the manifest that was begun last.
  ///
  /// - Parameter allowsRepeats: whether a name may be listed twice with the same digest.
  package mutating func add(_ line: BagManifestLine, allowsRepeats: Bool) throws(BagProblem) {
    if line.path.hasBarePercent { keepsPercents = true }
    let index = keys.insert(line.path.key)
    try columns[columns.count - 1].set(line, at: index, allowsRepeats: allowsRepeats)
  }

  // MARK: Looking up

  /// The file of a line of `fetch.txt`, whose writer may have encoded percent signs otherwise than that of the manifests.
  package func index(of path: BagPath) -> Int? {
    if let index = keys.index(of: path.key) { return index }
    guard path.key.contains(UInt8(ascii: "%")) else { return nil }
    return keys.index(of: BagPath.encodingPercents(path.key)) ?? keys.index(of: BagPath.decodingPercents(path.key))
  }

  /// The file of this name.
  ///
  /// - Parameter exists: whether there is a file of a name; asked where a percent sign may be encoded or not.
  package func index(ofFile name: [UInt8], exists: ([UInt8]) -> Bool) -> Int? {
    guard name.contains(UInt8(ascii: "%")) else { return keys.index(of: name) }
    for key in [BagPath.encodingPercents(name), name] {
      if let index = keys.index(of: key), self.name(at: index, exists: exists) == name { return index }
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
    let isAmbiguous = keys.index(of: BagPath.encodingPercents(key)) == nil
    return isAmbiguous && !exists(decoded) && exists(key) ? key : decoded
  }

  /// The digests that the manifests with known algorithms have for a file.
  package func digests(at index: Int) -> [ContentDigest] { columns.compactMap { $0.digest(at: index) } }

  /// Where the first manifest that lists a file does so.
  package func place(of index: Int) -> Place? {
    for column in columns {
      if let line = column.line(of: index) { return Place(manifest: column.name.name, line: line) }
    }
    return nil
  }

  /// The first manifest that does not list a file; nil if all of them do.
  package func manifestWithout(_ index: Int) -> BagManifestName? {
    columns.first { $0.line(of: index) == nil }?.name
  }
}

extension BagListing.Column {
  fileprivate func line(of index: Int) -> Int? {
    index < lines.count && lines[index] > 0 ? Int(lines[index]) : nil
  }

  fileprivate func digest(at index: Int) -> ContentDigest? {
    guard let algorithm = name.algorithm, line(of: index) != nil else { return nil }
    return ContentDigest(algorithm, Array(digests[(index * algorithm.byteCount)...].prefix(algorithm.byteCount)))
  }

  fileprivate mutating func set(
    _ line: BagManifestLine, at index: Int, allowsRepeats: Bool
  ) throws(BagProblem) {
    if let earlier = self.line(of: index) {
      guard digest(at: index) == line.digest else { throw .contradictoryDigests(line.path.key, line: earlier) }
      guard allowsRepeats else { throw .repeatedName(line.path.key, line: earlier) }
      return
    }
    if lines.count <= index { lines += repeatElement(0, count: index + 1 - lines.count) }
    lines[index] = UInt32(clamping: line.lineNumber)
    guard let digest = line.digest else { return }
    let start = index * digest.algorithm.byteCount
    let end = start + digest.algorithm.byteCount
    if digests.count < end { digests += repeatElement(0, count: end - digests.count) }
    digests.replaceSubrange(start..<end, with: digest.bytes)
  }
}
