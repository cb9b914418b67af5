internal import DownloadCore
internal import DownloadEngine
internal import DownloadFiles
internal import DownloadTransport
internal import DownloadWords

/// A request that may become a task.
struct CheckedRequest: Sendable {
  let request: DownloadRequest
  /// Of the target: absolute, with a slash at its end.
  let directory: [UInt8]
  /// Of the target, below that directory.
  let name: [UInt8]
  /// For the engine; the task's id and group are not set yet.
  var file: FileRequest
  /// Nil for a session without a store.
  var texts: StoredTexts?

  /// Of the target, absolute.
  var path: [UInt8] { directory + name }
}

/// What a row of the store says of a request, as JSON.
struct StoredTexts: Sendable {
  let request: String
  let settings: String
}

/// A directory whose links are followed.
struct RequestDirectory: Sendable {
  /// Below the root.
  let components: [[UInt8]]
  /// Absolute, with a slash at its end. Tasks share this array.
  let path: [UInt8]

  init(_ components: [[UInt8]]) {
    self.components = components
    path = RequestChecker.path(components) + [UInt8(ascii: "/")]
  }
}

/// Checks requests and makes the engine's of them. It reads directories, so it runs on no actor of the caller's.
///
/// An engine of a session has one place, the root directory. A request's directory becomes components below it once links
/// are followed; below that nothing goes through links.
struct RequestChecker: Sendable {
  /// The session's directory.
  private let base: RequestDirectory
  /// Whether answers may name files, because a policy says so.
  private let isNamedByAnswer: Bool
  /// Those of the last request: the next one mostly has the same.
  private var settings = CheckedSettings.none
  private var series = URLSeries()
  private var directories: [String: RequestDirectory] = [:]

  static let mostKeyBytes = 255
  static let mostInfoBytes = 4096

  init(base: RequestDirectory, isNamedByAnswer: Bool) {
    self.base = base
    self.isNamedByAnswer = isNamedByAnswer
  }

  /// Settings, and what follows from them.
  private struct CheckedSettings: Sendable {
    let settings: DownloadSettings
    let fields: DownloadSettings.Fields
    let forTask: TaskSettings?

    static let none = Boxed(CheckedSettings(DownloadSettings()))

    init(_ settings: DownloadSettings) {
      self.settings = settings
      fields = settings.fields
      forTask = settings.taskSettings
    }
  }

  mutating func check(_ request: DownloadRequest) throws(DownloadError) -> CheckedRequest {
    do throws(DownloadError) {
      if request.settings != settings.value.settings {
        try Self.check(request.settings)
        guard request.settings.fields.name == nil else { throw Self.wrong("the name of a file is the request's own") }
        settings = Boxed(CheckedSettings(request.settings))
      }
      guard let checksum = settings.value.fields.checksum else { return try checked(request, settings.value) }
      var request = request
      request.checksums = [checksum].compactMap(\.self)
      return try checked(request, settings.value)
    } catch {
      var error = error
      error.fields.value.url = request.urls.first.map(PublicURL.text)
      throw error
    }
  }

  private mutating func checked(
    _ request: DownloadRequest, _ settings: CheckedSettings
  ) throws(DownloadError) -> CheckedRequest {
    try Self.checkTexts(request)
    var (digests, mirrors): ([ContentDigest], [MirrorURL]) = ([], [])
    for checksum in request.checksums {
      guard let digest = checksum.digest else { throw Self.wrong("'\(checksum)' is no checksum") }
      try Self.add(digest, to: &digests)
    }
    var urls = request.urls
    guard !urls.isEmpty else { throw Self.wrong("the request has no URL") }
    var formerURL: Location?
    let fields = settings.fields
    if let url = fields.url ?? nil, url != urls[0] {
      var unused: [ContentDigest] = []
      formerURL = try? parse(urls[0], &unused).location
      urls[0] = url
    }
    for url in urls { mirrors.append(try parse(url, &digests)) }
    let lines = try Self.lines((fields.headers ?? nil) ?? request.headers)
    let (directory, name) = (try directory(request.directory), try name(request, mirrors[0].location))
    var file = FileRequest(
      task: TaskID(0), mirrors: mirrors, target: .listed(directory.components + name), digests: digests,
      pieces: request.listed.pieces, expectedLength: request.expectedSize, headers: lines)
    file.isNamedByUser = !request.listed.isUntrusted
    if let credential = (fields.credential ?? nil) ?? request.credential { try Self.add(credential, to: &file) }
    file.settings = settings.forTask
    if let formerURL { file.formerURL = formerURL }
    file.priority = request.priority
    file.isNamedByAnswer =
      request.name == nil && (isNamedByAnswer || (fields.nameSource ?? nil).map { $0 != .url } ?? false)
    return CheckedRequest(
      request: request, directory: directory.path, name: Array(name.joined(separator: [UInt8(ascii: "/")])), file: file)
  }

  /// The request of a task again, with other settings, whose values are not checked once more.
  mutating func remade(
    _ request: DownloadRequest, _ settings: DownloadSettings, path: [UInt8]
  ) throws(DownloadError) -> FileRequest {
    var request = request
    request.settings = settings
    request.directory = nil
    // Not that of the URL, which need not be usable.
    request.name = "name"
    var file = try checked(request, CheckedSettings(settings)).file
    file.target = .listed(path.split(separator: UInt8(ascii: "/")).map { Array($0) })
    return file
  }

  static func path(_ components: [[UInt8]]) -> [UInt8] {
    var path: [UInt8] = []
    path.reserveCapacity(components.reduce(0) { $0 + $1.count + 1 })
    for component in components {
      path.append(UInt8(ascii: "/"))
      path += component
    }
    return path
  }

  private static func wrong(_ message: String) -> DownloadError { DownloadError(.invalidRequest, message) }

  private static func checkTexts(_ request: DownloadRequest) throws(DownloadError) {
    if let key = request.key, !(1...mostKeyBytes).contains(key.utf8.count) {
      throw wrong("a key has 1 to \(mostKeyBytes) bytes")
    }
    for text in [request.key, request.group].compactMap(\.self) + request.info.flatMap({ [$0.key, $0.value] })
    where text.utf8.contains(0) {
      throw wrong("keys, groups and info have no NUL")
    }
    if let group = request.group, !(1...mostKeyBytes).contains(group.utf8.count) {
      throw wrong("the name of a group has 1 to \(mostKeyBytes) bytes")
    }
    guard -100...100 ~= request.priority else { throw DownloadError(.invalidValue, "a priority is in -100...100") }
    if let size = request.expectedSize, size < 0 {
      throw DownloadError(.invalidValue, "an expected size is at least 0")
    }
    if !request.info.isEmpty, request.info.reduce(0, { $0 + $1.key.utf8.count + $1.value.utf8.count }) > mostInfoBytes {
      throw wrong("the info has more than \(mostInfoBytes) bytes")
    }
  }

  private static func add(_ digest: ContentDigest, to digests: inout [ContentDigest]) throws(DownloadError) {
    if digests.contains(digest) { return }
    if digests.contains(where: { $0.algorithm == digest.algorithm }) {
      throw wrong("two \(digest.algorithm.rawValue) checksums contradict each other")
    }
    digests.append(digest)
  }

  static func lines(_ headers: [HeaderField]) throws(DownloadError) -> [String] {
    if headers.isEmpty { return [] }
    var lines: [String] = []
    for header in headers {
      guard let line = header.line else { throw wrong("'\(header.name)' is no valid header field") }
      lines.append(line)
    }
    return lines
  }

  /// The user logs in at the origin of the original URL.
  static func add(_ credential: DownloadCredential, to file: inout FileRequest) throws(DownloadError) {
    switch credential {
    case .user(let name, let password):
      if name.utf8.contains(UInt8(ascii: ":")) { throw wrong("a user name has no colon") }
      for index in file.mirrors.indices where file.mirrors[index].location.origin == file.mirrors[0].location.origin {
        file.mirrors[index].userinfo = "\(name):\(password)"
      }
    case .bearer(let token): try add([HeaderField("Authorization", "Bearer \(token)")], to: &file)
    }
  }

  /// Fields of the same names go.
  private static func add(_ headers: [HeaderField], to file: inout FileRequest) throws(DownloadError) {
    let new = try lines(headers)
    let names = Set(headers.map { $0.name.lowercased() })
    file.headers.removeAll { names.contains($0.prefix { $0 != ":" && $0 != ";" }.lowercased()) }
    file.headers += new
  }

  /// Another source of a file.
  static func use(_ url: String?, _ headers: [HeaderField], in file: inout FileRequest) throws(DownloadError) {
    if let url {
      var checker = RequestChecker(base: RequestDirectory([]), isNamedByAnswer: false)
      var digests = file.digests
      let (old, new) = (file.mirrors[0], try checker.parse(url, &digests))
      if new.location != old.location { file.formerURL = file.originalURL }
      file.mirrors[0] = new
      // What the request says of who logs in stays with its origin.
      if new.userinfo == nil, new.location.origin == old.location.origin { file.mirrors[0].userinfo = old.userinfo }
    }
    try add(headers, to: &file)
  }

  // MARK: URLs

  /// The host of a URL; nil for what is no URL.
  static func origin(of url: String) -> Origin? {
    var checker = RequestChecker(base: RequestDirectory([]), isNamedByAnswer: false)
    var digests: [ContentDigest] = []
    return try? checker.parse(url, &digests).location.origin
  }

  private mutating func parse(_ text: String, _ digests: inout [ContentDigest]) throws(DownloadError) -> MirrorURL {
    let bytes = Array(text.utf8)
    let parts: (url: ArraySlice<UInt8>, digests: [ContentDigest])
    do { parts = try URLFragment.split(bytes[...]) } catch { throw Self.wrong("the URL's fragment is no checksum") }
    for digest in parts.digests { try Self.add(digest, to: &digests) }
    do {
      return try series.parse(parts.url.count == bytes.count ? bytes : Array(parts.url))
    } catch { throw Self.wrong(RequestMessages.reason(error)) }
  }

  // MARK: Targets

  private func name(_ request: DownloadRequest, _ location: Location) throws(DownloadError) -> [[UInt8]] {
    try Self.components(
      ofName: request.listed.name ?? request.name.map { Array($0.utf8) } ?? TargetName.fromURLPath(location.path))
  }

  static func components(ofName name: [UInt8]) throws(DownloadError) -> [[UInt8]] {
    do { return try TargetName.checked(name) } catch { throw wrong(RequestMessages.reason(error)) }
  }

  private mutating func directory(_ text: String?) throws(DownloadError) -> RequestDirectory {
    guard let text else { return base }
    if let known = directories[text] { return known }
    let directory = RequestDirectory(try Self.components(ofDirectory: text))
    directories[text] = directory
    return directory
  }

  /// The components of a directory below the root, without links; it need not exist.
  static func components(ofDirectory text: String) throws(DownloadError) -> [[UInt8]] {
    let slash = UInt8(ascii: "/")
    let path = Array(text.utf8)
    if path.contains(0) { throw wrong("the directory has a NUL byte") }
    // Of what does not exist the parts are taken as they stand.
    var existing = path.isEmpty ? [UInt8(ascii: ".")] : path
    var missing: [[UInt8]] = []
    while true {
      if let real = RealPath.of(existing) { return real.split(separator: slash).map { Array($0) } + missing }
      while existing.count > 1, existing.last == slash { existing.removeLast() }
      let start = existing.lastIndex(of: slash).map { $0 + 1 } ?? 0
      let last = Array(existing[start...])
      if last == Array("..".utf8) { throw wrong("the directory does not exist") }
      if last != Array(".".utf8), !last.isEmpty { missing.insert(last, at: 0) }
      existing = Array(existing[..<start])
      if existing.isEmpty { existing = [UInt8(ascii: ".")] }
      if existing == [slash], missing.isEmpty { return [] }
      if missing.count > 1000 { throw wrong("the directory is nested too deeply") }
    }
  }
}
