package import DownloadCore
internal import DownloadFiles
internal import DownloadScratch
internal import DownloadTransport
internal import DownloadWords
internal import Glibc

/// Makes requests from the command line and from list entries: parses URLs, derives and checks names.
package struct RequestBuilder {
  /// Bytes of an invalid URL that a message shows.
  private static let shownByteCount = 200

  /// Whether files are only read, so that names with control characters are allowed and URLs mean nothing.
  private let readsOnly: Bool
  /// Whether no option changes the name of a file.
  private let keepsNames: Bool
  private let naming: NamingOptions
  private let takesSuggestedNames: Bool
  /// Takes the place of `ftp` in URLs of lists; nil leaves it.
  private let ftpScheme: String?
  private let isHTTPSOnly: Bool
  /// The directory of the run, absolute and clean, with a slash at its end.
  private let directory: [UInt8]
  private var series = URLSeries()

  /// - Parameters:
  ///   - takesSuggestedNames: whether servers may name files.
  ///   - readsOnly: whether files are only read.
  ///   - ftpScheme: takes the place of `ftp` in URLs of lists; nil leaves it.
  ///   - isHTTPSOnly: whether mirrors without encryption are left out.
  init(
    _ naming: NamingOptions = NamingOptions(), takesSuggestedNames: Bool = false, readsOnly: Bool = false,
    ftpScheme: String? = nil, isHTTPSOnly: Bool = false
  ) {
    self.naming = naming
    self.isHTTPSOnly = isHTTPSOnly
    self.ftpScheme = ftpScheme
    self.takesSuggestedNames = takesSuggestedNames
    self.readsOnly = readsOnly
    keepsNames =
      naming.template == nil && !naming.makesDirectories && naming.strippedComponentCount == 0 && !takesSuggestedNames
      && !naming.takesBaseNames
    directory =
      AbsolutePath.cleaned(AbsolutePath.of(directory: naming.directory ?? [])) + CollectionOfOne(UInt8(ascii: "/"))
  }

  /// Whether the request of a plain entry is valid, and its target is the entry's name.
  ///
  /// - Parameters: as for the request of a `ListEntry`.
  func accepts(_ entry: PlainEntry, base: BaseURL?, isFetched: Bool) -> Bool {
    guard keepsNames, !isHTTPSOnly else { return false }
    guard let authority = entry.authority else { return base != nil }
    return series.knows(authority: authority) && !(isFetched && authority.contains(UInt8(ascii: "@")))
  }

  /// - Parameter text: the argument of `--base-url`, if it is given.
  func base(_ text: [UInt8]?) throws(Failure) -> BaseURL? {
    guard let text else { return readsOnly ? BaseURL.nowhere : nil }
    return BaseURL(directory: try Self.baseURL(text))
  }

  /// - Parameter text: the argument of `--base-url`.
  package static func baseURL(_ text: [UInt8]) throws(Failure) -> MirrorURL {
    var series = URLSeries()
    let (url, digests) = try parsed(text, &series, what: .baseURL)
    guard digests.isEmpty else {
      throw Failure(.usage, words: "\(.baseURL): a checksum after '#' is not allowed here")
    }
    return url
  }

  /// A file that an option names by its URL, and that the program itself reads.
  ///
  /// - Parameters:
  ///   - setting: that names it, for errors.
  ///   - descriptor: where its content goes.
  mutating func input(
    item: Int, url: [UInt8], of setting: Setting, into descriptor: Int32
  ) throws(Failure) -> FileRequest {
    let (parsed, digests) = try Self.parsed(url, &series, what: setting)
    return try encrypted(
      FileRequest(task: TaskID(position: item), mirrors: [parsed], target: .descriptor(descriptor), digests: digests))
  }

  /// Without mirrors that `--https-only` excludes.
  private func encrypted(_ request: FileRequest) throws(Failure) -> FileRequest {
    if !isHTTPSOnly { return request }
    let mirrors = request.mirrors.filter { $0.location.scheme.isEncrypted }
    guard !mirrors.isEmpty else {
      throw Failure(
        .usage, words: "\(request.mirrors[0].location.redacted) is not an https URL",
        hint: "give its https URL, or leave out \(.httpsOnly)", about: ["\(.httpsOnly)"])
    }
    var request = request
    request.mirrors = mirrors
    return request
  }

  /// A URL of the command line.
  package mutating func request(
    item: Int, url: [UInt8], mirrors: [[UInt8]], output: [UInt8]?, checksums: [ContentDigest]
  ) throws(Failure) -> FileRequest {
    var digests = checksums
    var urls: [MirrorURL] = []
    for (index, text) in ([url] + mirrors).enumerated() {
      let what: Setting? = index == 0 ? nil : .mirror
      let (parsed, claimed) = try Self.parsed(text, &series, what: what)
      for digest in claimed {
        do { try digests.add(digest) } catch {
          throw Failure(error, of: parsed.location.redacted)
        }
      }
      urls.append(parsed)
    }
    var request = FileRequest(
      task: TaskID(position: item), mirrors: urls, target: try target(output, urls[0].location, item), digests: digests)
    request.isNamedByAnswer = takesSuggestedNames && output == nil
    return try encrypted(request)
  }

  private func target(
    _ output: [UInt8]?, _ location: Location, _ item: Int
  ) throws(Failure) -> TargetChoice {
    switch output {
    case nil: return .listed(try name(nil, location, item, []))
    case [UInt8(ascii: "-")]: return .standardOutput
    case let path?:
      let shown = Diagnostic.escaped(path)
      if let descriptor = DescriptorPath.descriptor(of: path) {
        if StreamTarget.mayInherit(descriptor) { return .inherited(descriptor) }
        throw Failure(
          .localIO, words: "\(.output, shown): cannot write the output: \(SystemMessages.reason(EBADF))",
          hint: "open the descriptor for writing, as a shell does with \(Int(descriptor))> FILE")
      }
      if path.last == UInt8(ascii: "/") {
        throw Failure(
          .usage, words: "\(.output, shown): \(RequestMessages.reason(.isDirectory))",
          hint: "name a file, or give the directory with \(.dir)")
      }
      guard TargetName.isReserved(path) else { return .path(path) }
      let reason = RequestMessages.reason(.reservedSuffix)
      throw Failure(.usage, words: "\(.output, shown): \(reason)", hint: "choose another name")
    }
  }

  /// An entry of a list.
  ///
  /// - Parameters:
  ///   - base: where names and relative references lead; nil if nothing tells it.
  ///   - trust: where the list comes from.
  package mutating func request(
    item: Int, entry: ListEntry, base: BaseURL?, trust: ListTrust = .own, source: SourceLine
  ) throws(Failure) -> FileRequest {
    if entry.name != nil, base == nil {
      // Of the list, and not of each line.
      throw Failure(
        .usage, words: "\(source.list): the list contains file names, but no URLs",
        hint: "give the location of the files with \(.baseURL, "URL")")
    }
    if entry.name != nil, base === BaseURL.nowhere, naming.template?.needsURL == true {
      throw Failure(
        .usage, words: "\(source.list): the list contains no URLs, which \(.outputTemplate) needs",
        hint: "give \(.baseURL, "URL") as for the download", about: ["\(.outputTemplate)"])
    }
    let isFetched = trust == .fetched
    do throws(Failure) {
      if isFetched { try FetchedList.check(entry) }
      if let name = entry.name, let base {
        var request = try listedFile(item, name, base, entry, source)
        request.isNamedByUser = !isFetched
        return try encrypted(request)
      }
      var mirrors: [MirrorURL] = []
      for url in entry.urls { mirrors.append(try mirror(url, base, isFetched: isFetched)) }
      var request = FileRequest(
        task: TaskID(position: item), mirrors: mirrors, target: try target(of: entry, trust, mirrors[0].location, item),
        digests: entry.digests, pieces: entry.pieces, expectedLength: entry.size,
        headers: entry.headers.map { String(decoding: $0, as: UTF8.self) }, source: source)
      request.isNamedByUser = !isFetched && !entry.isUntrusted
      request.hasUnknownDigest = entry.hasUnknownDigest
      if case .path(let path) = request.target { request.isOutside = !path.starts(with: directory) }
      if case .listed = request.target { request.isNamedByAnswer = takesSuggestedNames && entry.out == nil }
      return try encrypted(request)
    } catch {
      throw Failure(error.code, words: "\(source.text): \(error.words)", hint: error.advice())
    }
  }

  /// A URL of a list without its fragment, or a reference that is resolved against the base URL.
  private mutating func mirror(
    _ text: [UInt8], _ base: BaseURL?, isFetched: Bool
  ) throws(Failure) -> MirrorURL {
    var text = text
    if let ftpScheme, String(decoding: text.prefix(6), as: UTF8.self).lowercased() == "ftp://" {
      text.replaceSubrange(..<3, with: Array(ftpScheme.utf8))
    }
    guard let base, !TargetName.isURL(text) else {
      let url = try Self.parsedURL(text, &series, what: nil)
      if isFetched { try FetchedList.check(url) }
      return url
    }
    var resolved = try resolved(text, base)
    if isFetched { try FetchedList.check(resolved) }
    if resolved.userinfo == nil, resolved.location.origin == base.location.origin { resolved.userinfo = base.userinfo }
    return resolved
  }

  private func resolved(_ text: [UInt8], _ base: BaseURL) throws(Failure) -> MirrorURL {
    do {
      return try URLParser.resolve(text, against: base.location)
    } catch {
      throw Self.refusal(RequestMessages.reason(error), of: text, what: nil, hint: nil)
    }
  }

  private static func refusal(_ reason: String, of text: [UInt8], what: Setting?, hint: Phrase?) -> Failure {
    let shown = Diagnostic.escaped(Array(Redaction.url(text).prefix(shownByteCount)))
    let subject: Phrase = if let what { "\(what, shown)" } else { Phrase(shown) }
    return Failure(.usage, words: "\(subject): \(reason)", hint: hint)
  }

  private func listedFile(
    _ item: Int, _ name: [UInt8], _ base: BaseURL, _ entry: ListEntry, _ source: SourceLine
  ) throws(Failure) -> FileRequest {
    let slash = UInt8(ascii: "/")
    let components = try checked(
      naming.takesBaseNames ? Array(name[(name.lastIndex(of: slash).map { $0 + 1 } ?? 0)...]) : name,
      hint: name.first == slash ? "\(.basename) leaves out the directories of names" : Self.nameHint)
    let location = Location(
      origin: base.location.origin, path: base.location.path + Self.encoded(components), query: base.location.query)
    return FileRequest(
      task: TaskID(position: item), mirrors: [MirrorURL(location: location, userinfo: base.userinfo)],
      target: .listed(try self.name(components, location, item, entry.variables)), digests: entry.digests,
      pieces: entry.pieces,
      expectedLength: entry.size, source: source)
  }

  private func target(
    of entry: ListEntry, _ trust: ListTrust, _ location: Location, _ item: Int
  ) throws(Failure) -> TargetChoice {
    let slash = UInt8(ascii: "/")
    let mayLeave = naming.allowsAbsolute || trust == .own
    var (directory, out) = (entry.directory, entry.out)
    if let path = out, path.first == slash, entry.outMayBeAbsolute, mayLeave {
      let start = path.lastIndex(of: slash).map { $0 + 1 } ?? 0
      (directory, out) = (Array(path[..<start]), Array(path[start...]))
    }
    let listed = try out.map { (out) throws(Failure) in
      try listedComponents(out, hasEncodedLineBreaks: entry.hasEncodedLineBreaks)
    }
    let name = try name(listed, location, item, entry.variables)
    guard let directory else { return .listed(name) }
    guard directory.first == slash else { return .listed(try directoryComponents(directory) + name) }
    if !mayLeave {
      throw Failure(
        .usage, words: "\(Diagnostic.escaped(directory)): \(trust.words) may not give an absolute directory",
        hint: "read the list, and give \(.allowAbsolute) if you trust it")
    }
    if naming.isAtomic {
      throw Failure(
        .usage, words: "the directory \(Diagnostic.escaped(directory)) is outside of the one that \(.atomic) publishes",
        hint: "use names below the directory of \(.dir)", about: ["\(.dir)"])
    }
    // As with -d, the author of the list may choose any directory; the name stays inside it.
    let trimmed = directory.dropFirst()
    let components = trimmed.allSatisfy { $0 == slash } ? [] : try directoryComponents(Array(trimmed))
    let path = [slash] + Array((components + name).joined(separator: CollectionOfOne(slash)))
    guard DescriptorPath.descriptor(of: path) == nil else {
      throw Failure(
        .usage, words: "\(Diagnostic.escaped(path)) is a descriptor of this process, and no file that a list may name",
        hint: "name it with \(.output), or give the file another name with out=")
    }
    return .path(path)
  }

  /// The name that the list itself gives the file of a request; the name of its target where the list gives none.
  func listedName(_ entry: ListEntry, of request: FileRequest) -> [UInt8] {
    guard !keepsNames, let given = entry.name ?? entry.out, let name = try? listedComponents(given) else {
      return request.target.name
    }
    let directory = entry.directory.flatMap { try? directoryComponents($0) } ?? []
    return TargetChoice.listed(directory + name).name
  }

  private func stripped(_ components: [[UInt8]]) -> [[UInt8]] {
    Array(components.dropFirst(min(naming.strippedComponentCount, components.count - 1)))
  }

  /// The components of a target.
  ///
  /// - Parameters:
  ///   - listed: the checked components of the name that the list gives.
  ///   - variables: the values of columns that the list gives.
  private func name(
    _ listed: [[UInt8]]?, _ location: Location, _ item: Int, _ variables: [[UInt8]]
  ) throws(Failure) -> [[UInt8]] {
    if let template = naming.template {
      guard variables.count == template.columns.count else {
        throw Failure(
          .usage,
          words: "there is no column for {\(Diagnostic.escaped(template.columns[0].text))} of \(.outputTemplate)",
          hint: "columns are those of tables, and of JSON that \(.columns) or \(.urlTemplate) describes",
          about: ["\(.outputTemplate)"])
      }
      return try checked(
        template.path(name: listed?.last, location: location, number: item + 1, values: variables))
    }
    if let listed { return stripped(listed) }
    return try derivedTarget(location)
  }

  private func derivedTarget(_ location: Location) throws(Failure) -> [[UInt8]] {
    var target: [[UInt8]] = []
    for component in naming.components(for: location) {
      let names = try checked(component)
      // Usually there is one component, whose array need not grow.
      target = target.isEmpty ? names : target + names
    }
    return target
  }

  /// The components of a directory that a list gives. It may end with slashes, as a name may not.
  private func directoryComponents(_ path: [UInt8]) throws(Failure) -> [[UInt8]] {
    let slashCount = path.reversed().prefix { $0 == UInt8(ascii: "/") }.count
    return try listedComponents(path.dropLast(min(slashCount, path.count - 1)))
  }

  /// The components of a name that a list gives.
  private func listedComponents(_ path: [UInt8], hasEncodedLineBreaks: Bool = false) throws(Failure) -> [[UInt8]] {
    try checked(path, hasEncodedLineBreaks: hasEncodedLineBreaks, hint: Self.nameHint)
  }

  private static let nameHint: Phrase = "correct the name in the list"

  private func checked(
    _ path: [UInt8], hasEncodedLineBreaks: Bool = false,
    hint: Phrase = "choose the name with \(.output) (or out= in the list)"
  ) throws(Failure) -> [[UInt8]] {
    do {
      return try TargetName.checked(path, controls: readsOnly ? .all : hasEncodedLineBreaks ? .lineBreaks : .none)
    } catch {
      throw Failure(
        .usage, words: "\(Diagnostic.escaped(Redaction.argument(path))): \(RequestMessages.reason(error))",
        hint: hint)
    }
  }

  /// Path segments as they stand in a URL (RFC 3986 section 3.3).
  private static func encoded(_ components: [[UInt8]]) -> String {
    var text: [UInt8] = []
    for (index, component) in components.enumerated() {
      if index > 0 { text.append(UInt8(ascii: "/")) }
      PercentEncoding.append(segment: component, to: &text)
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Parses a URL and the digests in its fragment.
  ///
  /// - Parameter what: the setting whose value it is; nil for a URL alone.
  private static func parsed(
    _ text: [UInt8], _ series: inout URLSeries, what: Setting?
  ) throws(Failure) -> (url: MirrorURL, digests: [ContentDigest]) {
    let parts: (url: ArraySlice<UInt8>, digests: [ContentDigest])
    do { parts = try URLFragment.split(text[...]) } catch {
      throw refusal(ListMessages.message(error), of: text, what: what, hint: ListMessages.hint(error))
    }
    return (try parsedURL(Array(parts.url), &series, what: what), parts.digests)
  }

  /// Parses a URL without a fragment.
  private static func parsedURL(
    _ url: [UInt8], _ series: inout URLSeries, what: Setting?
  ) throws(Failure) -> MirrorURL {
    do { return try series.parse(url) } catch {
      let isBare = !url.contains(UInt8(ascii: ":")) || error == .malformed
      throw refusal(
        RequestMessages.reason(error), of: url, what: what,
        hint: isBare ? "URLs begin with https:// or http://" : nil)
    }
  }
}
