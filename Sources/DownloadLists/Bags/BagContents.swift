package import DownloadCore
internal import DownloadScratch
internal import DownloadWords

/// What the files of a bag say, and what is wrong with them (RFC 8493).
package struct BagContents {
  /// The value of `Payload-Oxum`, and where it stands.
  package struct StatedOxum {
    package let place: String
    package let oxum: PayloadOxum
  }

  /// The user's path of the bag.
  package let path: [UInt8]
  package let directory: BagDirectory
  private let inputs: DecidingInputs
  private(set) var version = BagDeclaration.Version.v1_0
  /// The files of the payload manifests.
  package let payload: ListedFiles
  /// The files of the tag manifests.
  package let tags: ListedFiles
  package private(set) var oxum: StatedOxum?
  private(set) var hasFetch = false
  /// What is wrong; a problem of one line each. The first `mostOfFile` or a few more.
  private(set) var problems: [Failure] = []

  /// Reads all but `fetch.txt`.
  ///
  /// - Parameter inputs: note the files that are read, and what the directory has.
  /// - Throws: what cannot be read, and a bag without `bagit.txt`.
  init(_ path: [UInt8], notedIn inputs: DecidingInputs) throws(Failure) {
    self.path = path
    self.inputs = inputs
    inputs.note(file: path)
    let entries: [BagDirectory.Entry]
    do throws(FileFailure) {
      directory = try BagDirectory(path)
      entries = try directory.entries()
    } catch {
      throw LocalFileMessages.error(error)
    }
    payload = ListedFiles(directory)
    tags = ListedFiles(directory)
    try readDeclaration(entries)
    // The rules for the other files depend on it.
    guard problems.isEmpty else { return }
    let names = usableNames(entries)
    let manifests = names.compactMap { BagManifestName($0) }
    try read(manifests.filter { $0.area == .payload }, into: payload)
    try checkPayload()
    try read(manifests.filter { $0.area == .tags }, into: tags)
    if names.contains(version.infoName) { try readInfo() }
    hasFetch = names.contains(Self.fetch)
  }

  /// Whether a name beside the payload has a meaning in bags, or is listed in a tag manifest.
  ///
  /// - Parameter name: relative to the bag.
  func isOwnFile(_ name: [UInt8]) throws(Failure) -> Bool {
    if hasMeaning(name) { return true }
    return try tags.index(ofFile: name) != nil
  }

  private func hasMeaning(_ name: [UInt8]) -> Bool {
    [Self.declaration, Self.fetch, version.infoName].contains(name) || BagManifestName(name) != nil
  }

  static let fetch = Array("fetch.txt".utf8)
  static let declaration = Array("bagit.txt".utf8)

  /// The user's path of a file of the bag.
  func path(of name: [UInt8]) -> [UInt8] {
    path + (path.last == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")]) + name
  }

  /// The name of a file of the bag as messages show it.
  package func shown(_ name: [UInt8]) -> String { Diagnostic.escaped(Redaction.name(path(of: name))) }

  /// A usage error for a line of a file of the bag.
  func error(_ problem: BagProblem, in file: [UInt8], line: Int) -> Failure {
    Failure(.bag(problem), of: "\(shown(file)):\(line)")
  }

  /// Whether the bag has a file of the payload, which is in no list that is read. It is noted.
  func hasFile(_ name: [UInt8]) -> Bool {
    inputs.note(file: path(of: name))
    return directory.hasFile(name)
  }

  /// Compares the bag's own files with its tag manifests.
  ///
  /// - Throws: an integrity error for the first file that is missing or differs; another error where one cannot be read.
  func requireIntactTags() throws(Failure) {
    for index in 0..<tags.count {
      guard let place = try tags.place(of: index) else { continue }
      let digests = try tags.digests(at: index)
      let name = try tags.name(at: index)
      // Of an unknown algorithm.
      if digests.isEmpty { continue }
      inputs.note(file: path(of: name))
      let result = directory.result(on: name, digests)
      if let error = BagMessages.error(result, of: shown(name), listedAt: "\(shown(place.manifest)):\(place.line)") {
        throw error
      }
    }
  }

  // MARK: Reading

  /// Opens a file of the bag.
  func reader<Parser>(of name: [UInt8], _ parser: Parser) throws(Failure) -> BagFileReader<Parser> {
    try BagFileReader(path(of: name), notedIn: inputs, parser)
  }

  private mutating func readDeclaration(_ entries: [BagDirectory.Entry]) throws(Failure) {
    guard let entry = entries.first(where: { $0.name == Self.declaration }) else {
      throw Failure(
        .usage, words: "\(Diagnostic.escaped(Redaction.name(path))): the directory is not a bag: it has no bagit.txt",
        hint: "a bag is made with \(.writeManifest, "bagit") \(.output, "BAG") DIR")
    }
    guard !usableNames([entry]).isEmpty else { return }
    let file = try ListFile(path: path(of: Self.declaration), notedIn: inputs)
    let bytes = try file.beginning(byteCount: BagDeclaration.maximumByteCount + 1)
    do throws(ListError) { version = try BagDeclaration(bytes).version } catch {
      problems.append(Failure(error.problem, of: "\(shown(Self.declaration)):\(error.lineNumber)"))
    }
  }

  /// The names of regular files. What else has the name of a bag's own file is a problem.
  private mutating func usableNames(_ entries: [BagDirectory.Entry]) -> [[UInt8]] {
    var names: [[UInt8]] = []
    for entry in entries {
      guard let obstacle = entry.obstacle else {
        names.append(entry.name)
        continue
      }
      guard hasMeaning(entry.name) else { continue }
      let words = LocalFileMessages.message(.obstacle(obstacle))
      problems.append(Failure(.usage, "\(shown(entry.name)): \(words)", hint: "put the file itself into the bag"))
    }
    return names
  }

  private mutating func read(
    _ manifests: [BagManifestName], into files: ListedFiles
  ) throws(Failure) {
    for manifest in manifests {
      if let other = files.manifests.first(where: { $0.algorithm != nil && $0.algorithm == manifest.algorithm }) {
        let problem = BagProblem.repeatedAlgorithm(manifest: other.name)
        problems.append(Failure(.bag(problem), of: shown(manifest.name)))
        continue
      }
      files.begin(manifest)
      var reader = try reader(of: manifest.name, BagManifestParser(manifest))
      try collect { (contents) throws(Failure) in
        guard let line = try reader.next() else { return false }
        if let problem = try files.add(line, allowsRepeats: !contents.version.requiresWholeManifests) {
          throw contents.error(problem, in: manifest.name, line: line.lineNumber)
        }
        return true
      }
    }
  }

  private mutating func readInfo() throws(Failure) {
    var reader = try reader(of: version.infoName, BagInfoParser())
    try collect { (contents) throws(Failure) in
      guard let element = try reader.next() else { return false }
      let place = "\(reader.name):\(element.lineNumber)"
      if let known = contents.oxum, known.oxum != element.oxum {
        throw Failure(.bag(.contradictoryOxum), of: place)
      }
      contents.oxum = contents.oxum ?? StatedOxum(place: place, oxum: element.oxum)
      return true
    }
  }

  /// Takes elements until `take` returns false, and collects their problems.
  private mutating func collect(
    _ take: (inout BagContents) throws(Failure) -> Bool
  ) throws(Failure) {
    while problems.count < UsageErrors.mostOfFile {
      do throws(Failure) {
        guard try take(&self) else { return }
      } catch {
        guard error.code == .usage else { throw error }
        problems.append(error)
      }
    }
  }

  /// What the manifests must have in common.
  private mutating func checkPayload() throws(Failure) {
    let manifests = payload.manifests
    if manifests.isEmpty || manifests.allSatisfy({ $0.algorithm == nil }) {
      let problem: BagProblem = manifests.isEmpty ? .noPayloadManifest : .noKnownManifest
      problems.append(Failure(.bag(problem), of: Diagnostic.escaped(Redaction.name(path))))
    }
    guard version.requiresWholeManifests, problems.isEmpty, !payload.areInAllManifests else { return }
    for index in 0..<payload.count where problems.count < UsageErrors.mostOfFile {
      guard let other = try payload.manifestWithout(index), let place = try payload.place(of: index) else { continue }
      let problem = BagProblem.missingInManifest(try payload.name(at: index), manifest: other.name)
      problems.append(error(problem, in: place.manifest, line: place.line))
    }
  }
}
