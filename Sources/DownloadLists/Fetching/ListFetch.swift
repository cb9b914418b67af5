package import DownloadCore
internal import DownloadJSON
internal import DownloadTransport
internal import DownloadWords

/// Downloads what the command line names by URLs and the program itself reads, before the run: lists, and the signatures
/// that `--verify-signature` needs. Nothing else begins unless all are there.
package struct ListFetch {
  /// The longest list, in bytes. A list is not limited by `--max-filesize`, which is for files.
  static let mostBytes: Int64 = 1 << 30
  /// Codings of lists that `ListText` recognizes by the content.
  private static let readableCodings = ["gzip", "x-gzip", "zstd"]

  /// Why nothing begins.
  package enum Stop: Error {
    case error(Failure)
    case failures([Failure])
    /// By this signal.
    case interrupted(Int32)
  }

  /// What one run brought.
  package struct Results {
    /// By item.
    let outcomes: [TaskID: Outcome]
    /// What stopped the run as a whole.
    let stoppedBy: Failure?

    package init(outcomes: [TaskID: Outcome], stoppedBy: Failure?) {
      self.outcomes = outcomes
      self.stoppedBy = stoppedBy
    }
  }

  /// Downloads requests with descriptors as targets, by their items from 0. No file may be longer than the number of bytes.
  package typealias Download = ([FileRequest], Int64) throws(Stop) -> Results

  private let options: ListOptions
  private let lists: [Wanted]
  /// Of `--signature`.
  private let signature: Wanted?

  /// A file to download.
  private struct Wanted {
    /// Among the lists of the command line; of no meaning for signatures.
    var place = 0
    let file: OpenFile
    let request: FileRequest

    var url: MirrorURL { request.mirrors[0] }
  }

  /// - Throws: an invalid URL, or why there is no temporary file.
  package init(_ options: ListOptions) throws(Failure) {
    self.options = options
    var builder = RequestBuilder(isHTTPSOnly: options.isHTTPSOnly)
    var lists: [Wanted] = []
    for (place, text) in options.inputs.enumerated() where TargetName.isURL(text) {
      let file = try OpenFile.unnamed()
      let request = try builder.input(item: lists.count, url: text, of: .inputFile, into: file.descriptor)
      lists.append(Wanted(place: place, file: file, request: request))
    }
    self.lists = lists
    if let text = options.signatures.signature, TargetName.isURL(text) {
      let file = try OpenFile.unnamed()
      signature = Wanted(
        file: file, request: try builder.input(item: 0, url: text, of: .signature, into: file.descriptor))
    } else {
      signature = nil
    }
  }

  /// The origins of the URLs; none where there is nothing to download.
  package var namedOrigins: Set<Origin> {
    Set((lists + [signature].compactMap(\.self)).map(\.url.location.origin))
  }

  /// - Parameters:
  ///   - verifier: gets the signature that `--signature` names by a URL. Nil where lists need no signature.
  ///   - tell: gets what has been downloaded, in words.
  /// - Returns: the lists, by their places among those of the command line.
  package func run(
    _ verifier: inout ListVerifier?, by download: Download, telling tell: (String) -> Void
  ) throws(Stop) -> [Int: FetchedList] {
    var fetched = try fetchLists(download, tell)
    // A signature is that of one page.
    if verifier == nil { for place in fetched.keys.sorted() { try fetchPages(of: &fetched[place], download, tell) } }
    if let signature = try fetchSignature(download, tell) { verifier?.named = signature }
    if let verifier { try fetchNeighbors(of: &fetched, for: verifier, download, tell) }
    return fetched
  }

  // MARK: Lists

  private func fetchLists(_ download: Download, _ tell: (String) -> Void) throws(Stop) -> [Int: FetchedList] {
    var fetched: [Int: FetchedList] = [:]
    try take(lists, .list, download) { (list, outcome) throws(Failure) in
      fetched[list.place] = try content(of: list, outcome, named: list.url, tell)
    }
    return fetched
  }

  /// - Parameter url: what the command line names.
  private func content(
    of list: Wanted, _ outcome: Outcome, named url: MirrorURL, _ tell: (String) -> Void
  ) throws(Failure) -> FetchedList {
    if case .failed(let error) = outcome.result { throw FetchMessages.error(error, of: .list, list.url.location) }
    let location = outcome.transfers.lastAnswer?.location ?? list.url.location
    var content = FetchedList(file: list.file, url: url, location: location)
    content.nextPage = outcome.transfers.lastAnswer?.nextPage
    tell(
      FetchMessages.done(list: list.url.location, byteCount: outcome.byteCount, directory: content.base.location))
    return content
  }

  // MARK: Pages

  /// The most pages of a list. Each is a file that stays open during the run.
  static let mostPages = 200

  /// Downloads the pages that follow a list, from the server on which it was found.
  private func fetchPages(
    of list: inout FetchedList?, _ download: Download, _ tell: (String) -> Void
  ) throws(Stop) {
    guard let first = list else { return }
    var pages: [FetchedList] = []
    var places: Set = [first.location.text]
    while let location = try nextPage(of: pages.last ?? first, first) {
      guard places.insert(location.text).inserted else { throw Self.stop(.repeatedPage, first) }
      guard places.count <= Self.mostPages else { throw Self.stop(.manyPages(limit: Self.mostPages), first) }
      let request: Wanted
      do throws(Failure) { request = try wanted(first.credited(location), item: 0, place: 0) } catch {
        throw .error(error)
      }
      let before = pages.count
      try take([request], .list, download) { (page, outcome) throws(Failure) in
        pages.append(try content(of: page, outcome, named: first.url, tell))
      }
      // The run has ended before it.
      if pages.count == before { return }
      pages[before].page = .further
    }
    if pages.isEmpty { return }
    list?.page = .first
    list?.furtherPages = pages
  }

  private static func stop(_ problem: JSONProblem, _ list: FetchedList) -> Stop {
    .error(Failure(.json(problem), of: list.name))
  }

  /// Where the page after a page is, by its answer or its text; nil for the last one.
  private func nextPage(of page: FetchedList, _ first: FetchedList) throws(Stop) -> Location? {
    let reference: [UInt8]?
    do throws(Failure) {
      let text = try ListText(
        try ListFile(unnamed: page.file, .fetched, name: page.name, beside: [], verifier: nil))
      let reading = try ListReading(of: text, options, hasBase: true, allowsReferences: true)
      guard reading.hasPages else { return nil }
      var reader = NextPageReader()
      if page.nextPage == nil, reading.format == .json {
        while reader.reference == nil, let block = try text.nextBlock() { reader.append(block) }
      }
      reference = page.nextPage ?? reader.reference
    } catch { throw .error(error) }
    guard let reference else { return nil }
    guard let found = try? URLParser.resolve(reference, against: page.location).location,
      found.origin == first.location.origin
    else { throw Self.stop(.foreignPage, first) }
    return found
  }

  // MARK: Signatures

  private func fetchSignature(_ download: Download, _ tell: (String) -> Void) throws(Stop) -> SignatureFile? {
    guard let signature else { return nil }
    var file: SignatureFile?
    try take([signature], .signature, download) { (wanted, outcome) throws(Failure) in
      if case .failed(let error) = outcome.result {
        throw FetchMessages.error(error, of: .signature, wanted.url.location)
      }
      file = try content(of: wanted, outcome, tell)
    }
    return file
  }

  /// Looks for the signatures of lists beside them, one name of each list after the other, as `ListVerifier` does on this
  /// machine.
  private func fetchNeighbors(
    of fetched: inout [Int: FetchedList], for verifier: ListVerifier, _ download: Download, _ tell: (String) -> Void
  ) throws(Stop) {
    var neighbors: [Int: ArraySlice<MirrorURL>] = [:]
    do throws(Failure) {
      for (place, list) in fetched where try verifier.looksBeside(list.file) {
        neighbors[place] = list.neighbors(verifier.endings)[...]
      }
    } catch { throw .error(error) }
    while !neighbors.isEmpty {
      var wanted: [Wanted] = []
      for list in lists {
        guard let url = neighbors[list.place]?.popFirst() else {
          neighbors[list.place] = nil
          continue
        }
        do throws(Failure) { wanted.append(try self.wanted(url, item: wanted.count, place: list.place)) } catch {
          throw .error(error)
        }
      }
      if wanted.isEmpty { break }
      try take(wanted, .signature, download) { (wanted, outcome) throws(Failure) in
        let file = try neighbor(wanted, outcome, tell)
        fetched[wanted.place]?.signatures.append(file)
        if case .fetched(_, let content?) = file, verifier.decides(content) { neighbors[wanted.place] = nil }
      }
    }
  }

  private func wanted(_ url: MirrorURL, item: Int, place: Int) throws(Failure) -> Wanted {
    let file = try OpenFile.unnamed()
    var request = FileRequest(task: TaskID(position: item), mirrors: [url], target: .descriptor(file.descriptor))
    // A redirect of the list may have named its origin.
    request.isNamedByUser = false
    return Wanted(place: place, file: file, request: request)
  }

  /// What is beside a list. Only a server that says so has no such file.
  private func neighbor(
    _ wanted: Wanted, _ outcome: Outcome, _ tell: (String) -> Void
  ) throws(Failure) -> SignatureFile {
    guard case .failed(let error) = outcome.result else { return try content(of: wanted, outcome, tell) }
    if case .transfer(let fault, _, _, _) = error.cause, fault.isAbsence {
      return .fetched(wanted.url.location, content: nil)
    }
    throw FetchMessages.error(error, of: .signature, wanted.url.location)
  }

  private func content(
    of wanted: Wanted, _ outcome: Outcome, _ tell: (String) -> Void
  ) throws(Failure) -> SignatureFile {
    tell(FetchMessages.done(.signature, wanted.url.location, byteCount: outcome.byteCount))
    return .fetched(
      wanted.url.location, content: try wanted.file.withBytes { (bytes) throws(Failure) in Array(bytes) })
  }

  // MARK: Both

  /// Downloads files and takes them in.
  ///
  /// - Parameter take: throws what is wrong with a file, in words.
  private func take(
    _ wanted: [Wanted], _ subject: FetchMessages.Subject, _ download: Download,
    _ take: (Wanted, Outcome) throws(Failure) -> Void
  ) throws(Stop) {
    if wanted.isEmpty { return }
    let mostBytes = subject == .list ? Self.mostBytes : Int64(SignatureFile.mostBytes)
    let codings = subject == .list ? Self.readableCodings : []
    let results = try download(wanted.map(\.request), mostBytes)
    var failures: [Failure] = []
    for file in wanted {
      guard let outcome = results.outcomes[file.request.task] else { continue }
      do throws(Failure) {
        if case .downloaded = outcome.result,
          let coding = outcome.transfers.lastAnswer?.contentCoding, !codings.contains(coding)
        {
          throw FetchMessages.error(contentCoding: coding, of: subject, file.url.location)
        }
        try take(file, outcome)
      } catch {
        failures.append(error)
      }
    }
    if failures.isEmpty, let error = results.stoppedBy { throw .error(error) }
    if failures.isEmpty { return }
    throw .failures(failures)
  }
}
