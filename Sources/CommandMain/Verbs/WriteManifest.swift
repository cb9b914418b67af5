internal import CommandChecking
internal import CommandOptions
internal import DownloadCore
internal import DownloadEngine
internal import DownloadListWriting
internal import DownloadLists
internal import DownloadWords

/// Writes a manifest of the files below a directory (`--write-manifest`).
struct WriteManifest: Verb {
  private let order: ManifestOrder
  private let context: RunContext
  private var output: Output { context.standardOutput }
  private var messages: Messages { context.messages }

  init(_ order: ManifestOrder, _ context: RunContext) {
    self.order = order
    self.context = context
  }

  /// - Throws: why no manifest is written.
  func run() throws(Failure) -> RunResult {
    try context.untilSignal { (signals, _) throws(Failure) in try write(signals) }
  }

  private func write(_ signals: SignalWatch) throws(Failure) {
    for algorithm in order.algorithms where !Digests.isAvailable(algorithm) {
      throw Failure(
        .usage, "cannot compute \(algorithm.rawValue): OpenSSL has disabled it",
        hint: "choose another one with --algorithm")
    }
    let urls = FileURLs(base: try base())
    switch order.format {
    case .gnu: try write(ChecksumListWriter(isTagged: false), signals)
    case .bsd: try write(ChecksumListWriter(isTagged: true), signals)
    case .metalink: try write(MetalinkWriter(base: urls), signals, hasPieces: true)
    case .json: try write(JSONListWriter(base: urls, isLines: false), signals)
    case .jsonl: try write(JSONListWriter(base: urls, isLines: true), signals)
    case .bagit: if let bag = order.output { try makeBag(bag, signals) } else { try convertToBag(signals) }
    }
  }

  // MARK: Manifests in one file

  private func write(
    _ writer: some ManifestWriter, _ signals: SignalWatch, hasPieces: Bool = false
  ) throws(Failure) {
    let tree = try readTree(order.output)
    guard let files = try hashed(tree, signals, hasPieces: hasPieces) else { return }
    if let path = order.output {
      do { try ManifestFile.replace(path, writer, files, syncs: order.syncs) } catch {
        throw LocalFileMessages.error(error)
      }
    } else {
      var writer = writer
      writer.write(files) { output.write($0) }
    }
  }

  // MARK: Bags

  private func makeBag(_ path: [UInt8], _ signals: SignalWatch) throws(Failure) {
    let tree = try readTree(nil)
    let copy: BagCopy
    do { copy = try BagCopy(of: tree, at: path) } catch { throw LocalFileMessages.error(error) }
    guard let files = try hashed(tree, signals) else { return }
    do { _ = try copy.make(files, bag(files), syncs: order.syncs, hearing: signals) } catch {
      throw LocalFileMessages.error(error)
    }
  }

  private func convertToBag(_ signals: SignalWatch) throws(Failure) {
    let conversion: BagInPlace
    do { conversion = try BagInPlace(order.directory) } catch {
      throw LocalFileMessages.error(error, directory: order.directory)
    }
    try checkNames(conversion.tree)
    let names = conversion.tree.files.map(\.name)
    guard order.isInPlace else { throw ManifestMessages.notInPlace(order.directory, names) }
    messages.write(ManifestMessages.inPlace(order.directory, names), isShown: !order.isQuiet)
    guard let files = try hashed(conversion.tree, signals) else { return }
    do { try conversion.convert(files, bag(files), syncs: order.syncs) } catch {
      throw LocalFileMessages.error(error, directory: order.directory)
    }
  }

  private func bag(_ files: [HashedFile]) -> BagFiles {
    let now = Timestamp.now() / 1000
    let date = Timestamp.text(unixTime: now, offset: Timestamp.localOffset(unixTime: now)).prefix(10)
    return BagFiles(files: files, algorithms: order.algorithms, date: String(date)) {
      ManifestFile.digests(of: $0, order.algorithms)
    }
  }

  // MARK: Files

  private func readTree(_ output: [UInt8]?) throws(Failure) -> LocalTree {
    let tree: LocalTree
    do { tree = try LocalTree(order.directory, output: output) } catch { throw LocalFileMessages.error(error) }
    for file in tree.leftOut {
      let words = LocalFileMessages.message(file.reason)
      messages.write(
        Diagnostic(name: file.name, message: "warning: left out: \(words)"), isShown: !order.isQuiet)
    }
    try checkNames(tree)
    return tree
  }

  private func checkNames(_ tree: LocalTree) throws(Failure) {
    for file in tree.files {
      guard let refusal = order.format.refusal(of: file.name) else { continue }
      throw Failure(
        .localIO, "\(Diagnostic.escaped(file.name)): \(ManifestMessages.reason(refusal, order.format))",
        hint: ManifestMessages.nameHint)
    }
  }

  /// - Returns: nil if a signal came first.
  private func hashed(
    _ tree: LocalTree, _ signals: SignalWatch, hasPieces: Bool = false
  ) throws(Failure) -> [HashedFile]? {
    do { return try tree.hashed(order.algorithms, hasPieces: hasPieces, hearing: signals) } catch {
      throw LocalFileMessages.error(error)
    }
  }

  // MARK: URLs

  private func base() throws(Failure) -> Location? {
    guard let text = order.baseURL else { return nil }
    let url = try RequestBuilder.baseURL(text)
    if url.userinfo != nil || url.location.query != nil || text.contains(UInt8(ascii: "#")) {
      throw Failure(
        .usage, "--base-url \(url.location.redacted): a manifest must not contain passwords, queries or fragments",
        hint: "leave them out of the URL")
    }
    return url.location
  }
}
