package import DownloadCore
import DownloadEngine
import LocalFiles
import DownloadSignatures

/// All requests of a run: lists first, then URLs, each in the order of the command line.
///
/// Lists are read twice and never held in memory. `check` reads everything once: every entry must be valid, and no two
/// different requests may have the same target. Equal ones are one, with all that their lines say about its content. It
/// keeps 8 bytes per request, and makes none of most entries. What it compares waits in temporary files where it is much.
/// Then `next` reads again, on demand.
package final class RequestList: RequestSource {
  private let invocation: Invocation
  private var builder: RequestBuilder
  private let directory: [UInt8]
  /// The hash of `directory`, which `key` continues.
  private let directoryKey: UInt64
  private let places: TargetPlaces
  private var inputs: [any RequestInput] = []
  /// The lock file of `--frozen`.
  private let frozen: FrozenFiles?
  /// Nil where nothing is written.
  private let ownFiles: OwnFiles?
  /// The URLs of the command line.
  private let globs: [URLGlob]
  private let shard: ShardFilter?
  private var nextItem = 0
  private var inputIndex = 0
  /// The next URL of the command line, and which of those that it stands for.
  private var urlIndex = (url: 0, alternative: 0)
  /// Whether wrong lines are passed over, for `check` has told them.
  private var passesErrors = false
  private var leftOut = LeftOutItems()
  /// What further lines say about the content of items, with what their own lines say.
  private let merged = MergedContents()
  package private(set) var itemCount: Int?
  /// Items of other shards, after `check`.
  private(set) var otherShardsItemCount = 0
  /// The keys of the requests of the shard, with `--atomic` after `check`.
  private var setKeys: [UInt64] = []
  /// Lists of which the filter leaves out files.
  private var filteredInputs: Set<Int> = []
  /// Lists without a single request, after `check`, and whether the filter leaves out what they have.
  package private(set) var emptyLists: [(name: String, isFiltered: Bool)] = []

  /// - Parameters:
  ///   - inputs: note the files that decide about the requests.
  ///   - verifier: nil where lists need no signature.
  ///   - fetched: the lists that the command line names by URLs, by their places among its lists.
  init(
    _ invocation: Invocation, notedIn inputs: DecidingInputs, _ verifier: ListVerifier?, fetched: [Int: FetchedList]
  ) throws(Failure) {
    self.invocation = invocation
    directory = AbsolutePath.of(directory: invocation.directory ?? [])
    directoryKey = StableHash.fnv1a(AbsolutePath.cleaned(directory))
    places = TargetPlaces(directory: directory)
    builder = RequestBuilder(invocation)
    shard =
      if let shard = invocation.shard { try ShardFilter(shard, directory: AbsolutePath.cleaned(directory)) } else {
        nil
      }
    ownFiles = invocation.work == .ask ? nil : OwnFiles(invocation)
    // The parser of the command line has refused what is no glob.
    frozen = if let path = invocation.frozen { try FrozenFiles(path: path, notedIn: inputs) } else { nil }
    globs = invocation.urls.map { (try? invocation.glob($0)) ?? URLGlob(plain: $0) }
    let base = try builder.base(invocation)
    for (index, path) in invocation.inputs.enumerated() {
      let source = fetched[index].map(ListSource.fetched) ?? .path(path)
      self.inputs.append(try BagChoice.input(source, notedIn: inputs, base: base, invocation, verifier))
    }
  }

  /// The lists whose signatures were verified.
  var signatures: [(list: String, signature: ListSignature)] {
    inputs.compactMap { input in input.signature.map { (input.name, $0) } }
  }

  /// The lists. What they say of themselves is known after `check`.
  var lists: [ReadList] { inputs.map { ReadList(name: $0.name, origin: $0.origin) } }

  // MARK: Before the start

  /// What `check` found.
  package struct Findings {
    /// The origins that the command line itself names. Headers and credentials may be sent to them.
    package var namedOrigins: Set<Origin> = []
    /// What is wrong with the first invalid entries.
    package private(set) var problems: [Failure] = []
    /// The number of invalid entries. With `--keep-going` there may be more than `problems`.
    package private(set) var problemCount = 0
    /// Whether the log would write into a file that is wanted.
    package private(set) var isLogTarget = false
    /// Whether the run may start without the invalid entries.
    package private(set) var mayGoOn: Bool

    init(keepsGoing: Bool) { mayGoOn = keepsGoing }

    /// - Parameter isOfList: whether the entry is of a list, and not of the command line.
    mutating func add(_ problem: Failure, isOfList: Bool) {
      problemCount += 1
      if problems.count < UsageErrors.mostOfFile { problems.append(problem) }
      if !isOfList { mayGoOn = false }
    }

    /// A target that the run writes for another purpose: a mistake of the command line.
    mutating func add(_ conflict: OwnFiles.Conflict) {
      add(conflict.error, isOfList: false)
      if conflict.isWithLog { isLogTarget = true }
    }

    /// The status of a command that did without invalid entries, if there are any.
    ///
    /// - Parameter status: that of the work on the others.
    func status(_ status: ExitStatus) -> ExitStatus { problems.isEmpty ? status : .usage }

    /// Whether so many problems are known that the others are not looked for.
    fileprivate var areEnough: Bool { !mayGoOn && problemCount >= UsageErrors.mostOfFile }
  }

  /// Reads everything once, and refuses invalid lines and colliding targets.
  ///
  /// - Returns: what was found. Without problems, or if the findings allow to go on, `next` hands out the requests.
  /// - Throws: what is wrong with the lists as a whole.
  package func check() throws(Failure) -> Findings {
    var findings = Findings(keepsGoing: invocation.keepsGoing)
    var keys = TargetKeys()
    var algorithms: DigestAlgorithmSet = []
    var isUsed = inputs.map { _ in false }
    if let bag { for conflict in try OwnFiles(invocation).conflicts(with: bag) { findings.add(conflict) } }
    while !findings.areEnough {
      do throws(Failure) {
        let next = try nextRequest { [self] key, entry in
          guard algorithms.isSuperset(of: entry.algorithms), ownFiles?.mayMeet(entry.name) != true else { return false }
          keys.append(key)
          for directory in places.takeMissingDirectories() { keys.append(directory: directory) }
          let isOfShard = self.isOfShard(entry)
          if !isOfShard { otherShardsItemCount += 1 }
          if invocation.isAtomic, isOfShard { setKeys.append(self.key(entry)) }
          isUsed[inputIndex] = true
          return true
        }
        guard let request = next else { break }
        if request.source != nil { isUsed[inputIndex] = true }
        if let conflict = conflict(of: request) {
          findings.add(conflict)
          continue
        }
        try requireAvailable(request, &algorithms)
        keys.append(places.key(of: request))
        for directory in places.takeMissingDirectories() { keys.append(directory: directory) }
        let isOfShard = self.isOfShard(request)
        if !isOfShard { otherShardsItemCount += 1 }
        if invocation.isAtomic, isOfShard { setKeys.append(key(request)) }
        if request.source == nil { findings.namedOrigins.formUnion(request.mirrors.map(\.location.origin)) }
      } catch {
        guard error.code == .usage, currentList?.isDamaged != true else { throw error }
        findings.add(error, isOfList: inputIndex < inputs.count)
      }
    }
    if !findings.problems.isEmpty { try currentList?.requireIntact() }
    if !findings.problems.isEmpty, !findings.mayGoOn { return findings }
    passesErrors = findings.mayGoOn
    findings.namedOrigins.formUnion(inputs.flatMap(\.namedOrigins))
    for directory in places.takeMissingDirectories(isLast: true) { keys.append(directory: directory) }
    let count = keys.count
    let suspects = keys.takeRepeated()
    rewind()
    let countedOut = leftOut.count
    if !suspects.isEmpty { try examineCollisions(among: suspects, &findings) }
    itemCount = count - (leftOut.count - countedOut) - otherShardsItemCount
    emptyLists = inputs.indices.filter { !isUsed[$0] }.map { (inputs[$0].name, filteredInputs.contains($0)) }
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
        leftOut.insert(request.task.position, .refused)
        // Told once where nothing starts.
        if !invocation.keepsGoing { known.insert(DigestAlgorithmSet(algorithm)) }
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
    guard let ownFiles, !request.isNamedByAnswer, ownFiles.mayMeet(request.target.name) else { return nil }
    if request.target.isStream { return nil }
    return ownFiles.conflict(with: place(of: request), of: Self.place(of: request))
  }

  /// The line or the URL of a request, for messages.
  private static func place(of request: FileRequest) -> String {
    request.source?.text ?? request.mirrors[0].location.redacted
  }

  /// The hash of the target's absolute path, which the record of a set keeps. Listed components are clean already, so their path is not built. Requests
  /// that the server names differ by their URLs.
  func key(_ request: FileRequest) -> UInt64 {
    guard case .listed(let components) = request.target, !request.isNamedByAnswer else {
      return StableHash.fnv1a(place(of: request))
    }
    return components.reduce(directoryKey) { key, component in
      StableHash.fnv1a(component, continuing: StableHash.fnv1a("/", continuing: key))
    }
  }

  private func key(_ entry: PlainEntry) -> UInt64 {
    StableHash.fnv1a(entry.name, continuing: StableHash.fnv1a("/", continuing: directoryKey))
  }

  /// The absolute path of a target without empty and `.` components, so that `dir=/srv` and `-d /srv` are equal. For a
  /// request that the server names, the URL stands behind it.
  private func place(of request: FileRequest) -> [UInt8] {
    let name = request.target.name
    if request.target.isStream { return name }
    let path = AbsolutePath.cleaned(name.first == Self.slash ? name : directory + CollectionOfOne(Self.slash) + name)
    return request.isNamedByAnswer ? path + [0] + Array(request.mirrors[0].location.text.utf8) : path
  }

  /// The files of the run, for their set; none at the next call.
  func takeSetNames() -> SetNames {
    defer { setKeys = [] }
    return SetNames(setKeys) { [directoryKey] name in
      StableHash.fnv1a(name, continuing: StableHash.fnv1a("/", continuing: directoryKey))
    }
  }

  private func isOfShard(_ request: FileRequest) -> Bool {
    guard let shard else { return true }
    if request.isNamedByAnswer { return shard.holds(name: Array(request.mirrors[0].location.text.utf8)) }
    return shard.holds(place: place(of: request))
  }

  private func isOfShard(_ entry: PlainEntry) -> Bool { shard?.holds(name: entry.name) ?? true }

  private static let slash = UInt8(ascii: "/")

  /// Merges equal requests, and refuses different ones with one target.
  ///
  /// - Parameter keys: those that `TargetKeys` has found.
  private func examineCollisions(among keys: [UInt64], _ findings: inout Findings) throws(Failure) {
    let firstRequests = FirstRequests()
    func isSuspect(_ key: UInt64) -> Bool { keys.sortedIndex(of: TargetKeys.kept(key)) != nil }
    func isSkipped(_ key: UInt64, _ entry: PlainEntry) -> Bool {
      !isSuspect(key) && !places.missingDirectoryKeys(of: entry).contains(where: isSuspect)
    }
    while !findings.areEnough, let request = try nextRequest(skipping: isSkipped) {
      guard !leftOut.contains(request.task.position) else { continue }
      let directories = places.missingDirectories(of: request).filter { isSuspect($0.key) }.map(\.place)
      if try refuseFile(at: directories, onTheWayTo: request, firstRequests, &findings) { continue }
      guard isSuspect(places.key(of: request)) else { continue }
      let wanted = FirstRequests.Request(
        item: request.task.position, sources: Self.sourcesHash(of: request), content: request.stated,
        place: Self.place(of: request), target: places.place(of: request))
      guard let other = try firstRequests.earlier(than: wanted) else {
        try examineSpelling(of: request, wanted, firstRequests, &findings)
        continue
      }
      if other.isDirectory {
        refuse(Self.fileAndDirectory(wanted.place, other.place, request.target.name), other.item, request, &findings)
        continue
      }
      guard other.sources == wanted.sources else {
        let error = Failure(
          .usage,
          "\(other.place) and \(wanted.place) would both be written to \(Diagnostic.escaped(request.target.name))",
          hint: request.source == nil
            ? "use --mirror for a second URL of the same file; \(ListMessages.templateForURLs) tells files apart by their URLs"
            : ListMessages.collisionHint(inputs[inputIndex].format))
        refuse(error, other.item, request, &findings)
        continue
      }
      let known = try merged.content(of: other.item) ?? other.content
      var content = known
      do { try content.merge(request.stated) } catch {
        refuse(Failure(error, of: "\(other.place) and \(wanted.place)"), other.item, request, &findings)
        continue
      }
      if content != known { try merged.set(other.item, content) }
      leaveOut(request.task.position, of: request, .part(of: other.item))
    }
    places.endProbing()
    rewind()
  }

  /// Refuses a request and an earlier one whose target is to be a directory on the way to the first one's.
  ///
  /// - Parameter directories: the places of directories that do not exist.
  /// - Returns: whether there is such a request.
  private func refuseFile(
    at directories: [[UInt8]], onTheWayTo request: FileRequest, _ firstRequests: FirstRequests,
    _ findings: inout Findings
  ) throws(Failure) -> Bool {
    for directory in directories {
      let wanted = FirstRequests.Request(
        item: request.task.position, sources: 0, content: StatedContent(), place: Self.place(of: request),
        target: directory,
        isDirectory: true)
      guard let other = try firstRequests.earlier(than: wanted), !other.isDirectory, !leftOut.contains(other.item)
      else { continue }
      refuse(Self.fileAndDirectory(other.place, wanted.place, request.target.name), other.item, request, &findings)
      return true
    }
    return false
  }

  /// - Parameters:
  ///   - file: the line or URL of the file.
  ///   - other: that of the file in the directory.
  ///   - name: the target of one of them.
  private static func fileAndDirectory(_ file: String, _ other: String, _ name: [UInt8]) -> Failure {
    Failure(
      .usage, "\(file) would be written to the place of a directory that \(other) needs: \(Diagnostic.escaped(name))",
      hint: "name one of them otherwise with out= in a list")
  }

  /// Refuses a request whose target is that of an earlier one with another spelling, where the file system says so.
  private func examineSpelling(
    of request: FileRequest, _ wanted: FirstRequests.Request, _ firstRequests: FirstRequests,
    _ findings: inout Findings
  ) throws(Failure) {
    guard invocation.work == .download, places.folds(request),
      let other = try firstRequests.earlier(than: wanted, alike: places.key(of: request)),
      let names = places.alikeNames(other.target, request)
    else { return }
    let error = Failure(
      .usage,
      "\(other.place) and \(wanted.place) would both be written to one file: \(Diagnostic.escaped(names.one)) and "
        + "\(Diagnostic.escaped(names.other)) are one name on this file system",
      hint: "name one of them otherwise with out= in a list, or choose a directory on another file system with -d")
    refuse(error, other.item, request, &findings)
  }

  /// Leaves out a request and an earlier one with its target. The run may start without them only if it keeps going.
  private func refuse(
    _ error: Failure, _ earlier: Int, _ request: FileRequest, _ findings: inout Findings
  ) {
    findings.add(error, isOfList: request.source != nil)
    leaveOut(earlier, of: request)
    leaveOut(request.task.position, of: request)
  }

  /// - Parameter request: one with the same target.
  private func leaveOut(_ item: Int, of request: FileRequest, _ reason: LeftOutItems.Reason = .refused) {
    if !leftOut.contains(item), !isOfShard(request) { otherShardsItemCount -= 1 }
    leftOut.insert(item, reason)
  }

  /// The hash of where a request leads, and of what has to be the same in all requests that are merged. It is seeded anew
  /// for each process, so that no list can be made to collide.
  private static func sourcesHash(of request: FileRequest) -> Int {
    var hasher = Hasher()
    for mirror in request.mirrors {
      hasher.combine(mirror.location)
      hasher.combine(mirror.userinfo)
    }
    hasher.combine(request.pieces)
    hasher.combine(request.headers)
    return hasher.finalize()
  }

  private func rewind() {
    nextItem = 0
    inputIndex = 0
    urlIndex = (0, 0)
    for input in inputs { input.rewind() }
  }

  /// The bag that is filled or checked; nil for other lists.
  var bag: BagContents? { (inputs.first as? BagInput)?.bag ?? (inputs.first as? BagCheckInput)?.bag }

  /// What is to be found out about the bag that is checked, besides its listed files.
  var bagAudit: BagAudit? { (inputs.first as? BagCheckInput)?.audit }

  // MARK: RequestSource

  package func next() throws(Failure) -> FileRequest? {
    let isSkipped: ((UInt64, PlainEntry) -> Bool)? = shard == nil ? nil : { [self] _, entry in !isOfShard(entry) }
    while var request = try nextRequest(skipping: isSkipped) {
      if leftOut.contains(request.task.position) || !isOfShard(request) { continue }
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
  func revisit(
    skipping isSkipped: @escaping (Int) -> Bool, tellsAll: Bool = false, _ body: @escaping (RevisitedEntry) -> Void
  ) throws(Failure) {
    rewind()
    if tellsAll { for input in inputs { (input as? ListInput)?.rewind(keepsText: true) } }
    func isPassed(_ item: Int) -> Bool {
      switch leftOut[item] {
      case nil: isSkipped(item)
      case .part(let earlier): !tellsAll || isSkipped(earlier)
      case .refused: !tellsAll
      }
    }
    while var wanted = try nextWanted(
      { [self] _, entry in isPassed(nextItem) || !isOfShard(entry) },
      passing: tellsAll ? { body(.refused($0, $1)) } : nil)
    {
      let item = wanted.request.task.position
      if isPassed(item) || !isOfShard(wanted.request) { continue }
      if let content = try merged.content(of: item) { wanted.request.stated = content }
      let listed = ListedRequest(request: wanted.request, entry: wanted.entry, list: currentList)
      switch leftOut[item] {
      case nil: body(.item(listed))
      case .part(let earlier): body(.part(listed, of: earlier))
      case .refused: body(.refused(RevisitedEntry.problem(ofRefused: wanted.request), currentList))
      }
    }
  }

  /// The list of the last entry; nil for a URL of the command line, and for a bag.
  private var currentList: ListInput? { inputIndex < inputs.count ? inputs[inputIndex] as? ListInput : nil }

  /// The next request that is not skipped.
  ///
  /// - Parameter isSkipped: is asked about requests of plain entries, and gets their keys. Nil skips none.
  func nextRequest(
    skipping isSkipped: ((UInt64, PlainEntry) -> Bool)? = nil
  ) throws(Failure) -> FileRequest? {
    try nextWanted(isSkipped)?.request
  }

  /// - Parameter passing: gets the invalid entries that are passed over.
  private func nextWanted(
    _ isSkipped: ((UInt64, PlainEntry) -> Bool)?, passing: ((Failure, ListInput?) -> Void)? = nil
  ) throws(Failure) -> (request: FileRequest, entry: ManifestEntry?)? {
    while true {
      do throws(Failure) {
        guard var wanted = try nextAllowed(isSkipped) else { return nil }
        // The lock file of a shard has no other shard's files.
        if isOfShard(wanted.request) { try frozen?.freeze(&wanted.request) }
        return wanted
      } catch {
        guard passesErrors, error.code == .usage else { throw error }
        passing?(error, currentList)
      }
    }
  }

  private func nextAllowed(
    _ isSkipped: ((UInt64, PlainEntry) -> Bool)?
  ) throws(Failure) -> (request: FileRequest, entry: ManifestEntry?)? {
    while inputIndex < inputs.count {
      let input = inputs[inputIndex]
      while let entry = try nextEntry(input, isSkipped) {
        let source = SourceLine(list: input.name, number: entry.lineNumber)
        let request = try builder.request(
          item: nextItem, entry: entry, base: input.base, trust: input.trust, source: source)
        if !invocation.filter.isEmpty, !invocation.filter.wants(builder.listedName(entry, of: request)) {
          filteredInputs.insert(inputIndex)
          continue
        }
        nextItem += 1
        return (request, entry)
      }
      inputIndex += 1
    }
    return try nextOperand().map { ($0, nil) }
  }

  private func nextEntry(
    _ input: any RequestInput, _ isSkipped: ((UInt64, PlainEntry) -> Bool)?
  ) throws(Failure) -> ManifestEntry? {
    guard let isSkipped, frozen == nil, invocation.filter.isEmpty else { return try input.next() }
    let base = input.base
    let isFetched = input.isFetched
    return try input.next { entry in
      guard builder.accepts(entry, base: base, isFetched: isFetched), isSkipped(places.key(of: entry), entry) else {
        return false
      }
      nextItem += 1
      return true
    }
  }

  /// The request of the next URL of the command line.
  private func nextOperand() throws(Failure) -> FileRequest? {
    guard urlIndex.url < globs.count else { return nil }
    let glob = globs[urlIndex.url]
    let url = glob[urlIndex.alternative]
    urlIndex.alternative += 1
    if urlIndex.alternative == glob.count { urlIndex = (urlIndex.url + 1, 0) }
    defer { nextItem += 1 }
    return try builder.request(
      item: nextItem, url: url, mirrors: invocation.mirrors, output: invocation.output,
      checksums: invocation.checksums)
  }
}
