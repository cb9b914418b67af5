package import DownloadCore
internal import DownloadEngine
package import DownloadSignatures

/// All requests of a run: lists first, then URLs, each in the order of the command line.
///
/// Lists are read twice and never held in memory. `check` reads everything once: every entry must be valid, and no two
/// different requests may have the same target. Equal ones are one, with all that their lines say about its content. It
/// keeps 8 bytes per request, and makes none of most entries. What it compares waits in temporary files where it is much.
/// Then `next` reads again, on demand.
package final class RequestList: RequestSource {
  package let paths: TargetPaths
  private let options: ListOptions
  private let isAtomic: Bool
  /// Whether the file system is asked about names that it may take for one.
  private let probesNames: Bool
  private let places: TargetPlaces
  private let reader: RequestReader
  private let ownFiles: OwnFiles
  /// Whether anything is written to targets, or read from them.
  private let usesTargets: Bool
  private var selection: ItemSelection
  /// What further lines say about the content of items, with what their own lines say.
  private let merged = MergedContents()
  private(set) var itemCount: Int?
  /// The keys of the requests of the shard, with `--atomic` after `check`.
  private var setKeys: [UInt64] = []
  /// Lists with entries that are no files, because options or the format say so, and their number, after `check`.
  package private(set) var passedEntries: [(name: String, count: Int)] = []
  /// Lists without a single request, after `check`, and whether the filter leaves out what they have.
  package private(set) var emptyLists: [(name: String, isFiltered: Bool)] = []

  /// - Parameters:
  ///   - work: what is done with the files.
  ///   - takesSuggestedNames: whether servers may name files.
  ///   - records: the files of the run, none of which may be a target.
  ///   - inputs: note the files that decide about the requests.
  ///   - verifier: nil where lists need no signature.
  ///   - fetched: the lists that URLs name, by their places among the inputs.
  ///   - given: the bytes of the only input, which is no file; nil for files.
  package init(
    _ options: ListOptions, _ naming: NamingOptions, for work: FileWork, takesSuggestedNames: Bool = false,
    writing records: RecordPaths = RecordPaths(), notedIn inputs: DecidingInputs, _ verifier: ListVerifier? = nil,
    fetched: [Int: FetchedList] = [:], given: [UInt8]? = nil, _ patience: ListPatience = ListPatience()
  ) throws(Failure) {
    var options = options
    options.columns.variables = naming.template?.columns ?? []
    self.options = options
    isAtomic = naming.isAtomic
    probesNames = work == .download
    paths = TargetPaths(naming)
    places = TargetPlaces(directory: paths.directory)
    let builder = RequestBuilder(
      naming, takesSuggestedNames: takesSuggestedNames, readsOnly: work == .check,
      ftpScheme: options.columns.scheme, isHTTPSOnly: options.isHTTPSOnly)
    let shard = try ShardFilter(options.shard, paths)
    selection = ItemSelection(shard)
    ownFiles = OwnFiles(records)
    usesTargets = work != .ask
    let frozen =
      if let path = options.frozen { try FrozenFiles(path: path, notedIn: inputs) } else { nil as FrozenFiles? }
    let base = try builder.base(options.baseURL)
    var opened: [any RequestInput] = []
    for (index, path) in options.inputs.enumerated() {
      var source = fetched[index].map(ListSource.fetched) ?? .path(path)
      if let given { source = .given(try OpenFile.unnamed(given), name: path) }
      for source in [source] + (fetched[index]?.furtherPages ?? []).map(ListSource.fetched) {
        opened.append(
          try BagChoice.input(
            source, notedIn: inputs, base: base, options, isChecked: work == .check, verifier, patience))
      }
    }
    reader = RequestReader(options, output: naming.output, builder, opened, frozen, shard)
  }

  /// The lists whose signatures were verified.
  package var signatures: [(list: String, signature: ListSignature)] {
    reader.inputs.compactMap { input in input.signature.map { (input.name, $0) } }
  }

  /// The lists. What they say of themselves is known after `check`.
  package var lists: [ReadList] { reader.inputs.map { ReadList(name: $0.name, origin: $0.origin) } }

  /// The bag that is filled or checked; nil for other lists.
  package var bag: BagContents? {
    (reader.inputs.first as? BagInput)?.bag ?? (reader.inputs.first as? BagCheckInput)?.bag
  }

  /// Items of other shards, after `check`.
  package var otherShardsItemCount: Int { selection.otherShardsCount }

  /// The keys of the paths of the run's files, for their set; none at the next call.
  package func takeSetKeys() -> [UInt64] {
    defer { setKeys = [] }
    return setKeys
  }

  // MARK: Before the start

  /// Reads everything once, and refuses invalid lines and colliding targets.
  ///
  /// - Returns: what was found. Without problems, or if the findings allow to go on, `next` hands out the requests.
  /// - Throws: what is wrong with the lists as a whole.
  package func check() throws(Failure) -> ListFindings {
    var findings = ListFindings(keepsGoing: options.keepsGoing)
    var keys = TargetKeys()
    var algorithms: DigestAlgorithmSet = []
    var isUsed = reader.inputs.map { _ in false }
    if let bag { for conflict in try ownFiles.conflicts(with: bag) { findings.add(conflict) } }
    func count(_ key: UInt64, isOfShard: Bool, setKey: @autoclosure () -> UInt64) {
      keys.append(key)
      for directory in places.takeMissingDirectories() { keys.append(directory: directory) }
      selection.count(isOfShard: isOfShard)
      if isAtomic, isOfShard { setKeys.append(setKey()) }
    }
    while !findings.areEnough {
      do throws(Failure) {
        let next = try reader.next { [self] entry in
          guard algorithms.isSuperset(of: entry.algorithms), !mayBeOwn(entry.name) else { return false }
          count(
            places.key(of: entry), isOfShard: selection.shard.contains(entry), setKey: paths.key(ofName: entry.name))
          isUsed[reader.inputIndex] = true
          return true
        }
        guard let request = next?.request else { break }
        if request.source != nil { isUsed[reader.inputIndex] = true }
        if let conflict = conflict(of: request) {
          findings.add(conflict)
          continue
        }
        try requireAvailable(request, &algorithms)
        count(
          places.key(of: request), isOfShard: selection.shard.contains(request), setKey: paths.key(of: request))
        if request.source == nil { findings.namedOrigins.formUnion(request.mirrors.map(\.location.origin)) }
      } catch {
        guard error.code == .usage, reader.currentList?.isDamaged != true else { throw error }
        findings.add(error, isOfList: reader.inputIndex < reader.inputs.count)
      }
    }
    if !findings.problems.isEmpty { try reader.currentList?.requireIntact() }
    if !findings.problems.isEmpty, !findings.mayGoOn { return findings }
    reader.passesErrors = findings.mayGoOn
    findings.namedOrigins.formUnion(reader.inputs.flatMap(\.namedOrigins))
    passedEntries = ListPages.joined(reader.inputs.map { ($0.name, $0.passedCount) }, +).filter { $0.value > 0 }.map {
      ($0.name, $0.value)
    }
    for directory in places.takeMissingDirectories(isLast: true) { keys.append(directory: directory) }
    let keyCount = keys.count
    let suspects = keys.takeRepeated()
    reader.rewind()
    let countedOut = selection.leftOut.count
    if !suspects.isEmpty {
      let collisions = CollisionCheck(suspects, places, probes: probesNames)
      try collisions.run(reader, &selection, merged, &findings)
      reader.rewind()
    }
    itemCount = keyCount - (selection.leftOut.count - countedOut) - otherShardsItemCount
    let uses = reader.inputs.indices.map {
      (reader.inputs[$0].name, (isUsed: isUsed[$0], isFiltered: reader.filteredInputs.contains($0)))
    }
    emptyLists = ListPages.joined(uses) { ($0.isUsed || $1.isUsed, $0.isFiltered || $1.isFiltered) }
      .filter { !$0.value.isUsed }.map { ($0.name, $0.value.isFiltered) }
    return findings
  }

  /// Refuses a request with a digest that OpenSSL cannot compute here.
  ///
  /// - Parameter known: algorithms that can be computed.
  private func requireAvailable(
    _ request: FileRequest, _ known: inout DigestAlgorithmSet
  ) throws(Failure) {
    for algorithm in request.digests.map(\.algorithm) + (request.pieces.map { [$0.algorithm] } ?? []) {
      if known.contains(DigestAlgorithmSet(algorithm)) { continue }
      guard Digests.isAvailable(algorithm) else {
        selection.refuse(request)
        // Told once where nothing starts.
        if !options.keepsGoing { known.insert(DigestAlgorithmSet(algorithm)) }
        let place = request.source.map { "\($0.text): " } ?? ""
        throw Failure(
          .usage, "\(place)cannot compute \(algorithm.rawValue): OpenSSL has disabled it",
          hint: "give a checksum with another algorithm, or none")
      }
      known.insert(DigestAlgorithmSet(algorithm))
    }
  }

  /// What the run writes to the target of a request for another purpose.
  private func conflict(of request: FileRequest) -> OwnFiles.Conflict? {
    guard !request.isNamedByAnswer, mayBeOwn(request.target.name) else { return nil }
    if request.target.isStream { return nil }
    return ownFiles.conflict(with: paths.path(of: request), of: request.shownPlace)
  }

  private func mayBeOwn(_ target: some BidirectionalCollection<UInt8>) -> Bool {
    usesTargets && ownFiles.mayMeet(target)
  }

  // MARK: RequestSource

  func next() throws(Failure) -> FileRequest? {
    let shard = selection.shard
    while case (var request, _)? = try reader.next(skipping: shard.containsAll ? nil : { !shard.contains($0) }) {
      guard selection.contains(request) else { continue }
      if let content = try merged.content(of: request.task.position) { request.stated = content }
      return request
    }
    return nil
  }

  /// Reads everything once more, after the run.
  ///
  /// - Parameters:
  ///   - isSkipped: whether an item is left out, and its parts with it.
  ///   - tellsAll: whether parts and refused entries are wanted, and the texts of entries. Otherwise there are only items.
  ///   - body: gets what is in the shard, in the order of the items.
  /// - Throws: where a list cannot be read or has changed.
  package func revisit(
    skipping isSkipped: @escaping (Int) -> Bool, tellsAll: Bool = false, _ body: @escaping (RevisitedEntry) -> Void
  ) throws(Failure) {
    reader.rewind(keepsText: tellsAll)
    let (shard, leftOut) = (selection.shard, selection.leftOut)
    func isPassed(_ item: Int) -> Bool {
      switch leftOut[item] {
      case nil: isSkipped(item)
      case .part(let earlier): !tellsAll || isSkipped(earlier)
      case .refused: !tellsAll
      }
    }
    while var wanted = try reader.next(
      skipping: { [reader] entry in isPassed(reader.nextItem) || !shard.contains(entry) },
      passing: tellsAll ? { body(.refused($0, $1)) } : nil)
    {
      let item = wanted.request.task.position
      if isPassed(item) || !shard.contains(wanted.request) { continue }
      if let content = try merged.content(of: item) { wanted.request.stated = content }
      let listed = ListedRequest(request: wanted.request, entry: wanted.entry, list: reader.currentList)
      switch leftOut[item] {
      case nil: body(.item(listed))
      case .part(let earlier): body(.part(listed, of: earlier))
      case .refused: body(.refused(RevisitedEntry.problem(ofRefused: wanted.request), reader.currentList))
      }
    }
  }
}
