internal import DownloadCore

/// Makes requests of the entries of lists, and then of the URLs of the command line, in their order.
final class RequestReader {
  let inputs: [any RequestInput]
  /// The input of the last entry.
  private(set) var inputIndex = 0
  /// Lists of which the filter leaves out files.
  private(set) var filteredInputs: Set<Int> = []
  /// The item of the next request. Entries that are skipped have one, too.
  private(set) var nextItem = 0
  /// Whether wrong lines are passed over, for they have been told.
  var passesErrors = false

  private let options: ListOptions
  /// The path of the target that a URL of the command line gets.
  private let output: [UInt8]?
  private var builder: RequestBuilder
  /// The lock file of `--frozen`.
  private let frozen: FrozenFiles?
  private let shard: ShardFilter
  /// The URLs of the command line.
  private let globs: [URLGlob]
  /// The next URL of the command line, and which of those that it stands for.
  private var urlIndex = (url: 0, alternative: 0)

  init(
    _ options: ListOptions, output: [UInt8]?, _ builder: RequestBuilder, _ inputs: [any RequestInput],
    _ frozen: FrozenFiles?, _ shard: ShardFilter
  ) {
    self.options = options
    self.output = output
    self.builder = builder
    self.inputs = inputs
    self.frozen = frozen
    self.shard = shard
    // The parser of the command line has refused what is no glob.
    globs = options.urls.map { (try? options.glob($0)) ?? URLGlob(plain: $0) }
  }

  /// The list of the last entry; nil for a URL of the command line, and for a bag.
  var currentList: ListInput? { inputIndex < inputs.count ? inputs[inputIndex] as? ListInput : nil }

  /// The next request that is not skipped, and its entry; without one for a URL of the command line.
  ///
  /// - Parameters:
  ///   - isSkipped: is asked about requests of plain entries. Nil skips none.
  ///   - passing: gets the invalid entries that are passed over.
  func next(
    skipping isSkipped: ((PlainEntry) -> Bool)? = nil,
    passing: ((Failure, ListInput?) -> Void)? = nil
  ) throws(Failure) -> (request: FileRequest, entry: ListEntry?)? {
    while true {
      do throws(Failure) {
        guard var wanted = try nextAllowed(isSkipped) else { return nil }
        // The lock file of a shard has no other shard's files.
        if shard.contains(wanted.request) { try frozen?.freeze(&wanted.request) }
        return wanted
      } catch {
        guard passesErrors, error.code == .usage else { throw error }
        passing?(error, currentList)
      }
    }
  }

  private func nextAllowed(
    _ isSkipped: ((PlainEntry) -> Bool)?
  ) throws(Failure) -> (request: FileRequest, entry: ListEntry?)? {
    while inputIndex < inputs.count {
      let input = inputs[inputIndex]
      while let entry = try nextEntry(input, isSkipped) {
        let source = SourceLine(list: input.name, number: entry.lineNumber)
        let request = try builder.request(
          item: nextItem, entry: entry, base: input.base, trust: input.trust, source: source)
        if !options.filter.isEmpty, !options.filter.wants(builder.listedName(entry, of: request)) {
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
    _ input: any RequestInput, _ isSkipped: ((PlainEntry) -> Bool)?
  ) throws(Failure) -> ListEntry? {
    guard let isSkipped, frozen == nil, options.filter.isEmpty else { return try input.next() }
    let base = input.base
    let isFetched = input.isFetched
    return try input.next { entry in
      guard builder.accepts(entry, base: base, isFetched: isFetched), isSkipped(entry) else { return false }
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
      item: nextItem, url: url, mirrors: options.mirrors, output: output, checksums: options.checksums)
  }

  /// Starts over at the first entry.
  ///
  /// - Parameter keepsText: whether lists are asked for the texts of entries.
  func rewind(keepsText: Bool = false) {
    nextItem = 0
    inputIndex = 0
    urlIndex = (0, 0)
    for input in inputs {
      if keepsText, let list = input as? ListInput { list.rewind(keepsText: true) } else { input.rewind() }
    }
  }
}
