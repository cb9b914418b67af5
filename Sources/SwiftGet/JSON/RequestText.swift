package import DownloadCore
internal import DownloadJSON
internal import DownloadListWriting

/// A request as the store and an export have it: the object of swiftget's own lists, without directory, name, group,
/// priority and settings, which are columns, and without secrets.
extension DownloadRequest {
  /// - Parameters:
  ///   - isNamedByAnswer: whether an answer may still name the file.
  ///   - missing: what an earlier process had and this one does not.
  func json(isNamedByAnswer: Bool, missing: [StoredNeed]) -> JSONObject {
    var object = json(urls: urls.map(StoredURL.withoutUserinfo), headers: headers.filter { !$0.isSecret })
    if isNamedByAnswer { object.add("named_by_answer", true) }
    object.add(missing, and: secrets)
    return object
  }

  /// For the method `add` of the protocol: with directory, name, group, priority and settings, and with its secrets.
  package var controlText: JSONObject { controlText(besides: DownloadSettings()) }

  /// - Parameter shared: settings that are left out.
  fileprivate func controlText(besides shared: DownloadSettings) -> JSONObject {
    var object = json(urls: urls, headers: headers)
    let hidden = headers.filter(\.isSecret).map(\.name)
    if !hidden.isEmpty { object.add("secret_headers", hidden) }
    addPlace(to: &object)
    if settings != shared { object.add("settings", settings.controlText) }
    if let credential { object.add(credential) }
    return object
  }

  /// The request as a JSON object without secrets: passwords, secret header fields and user names in URLs are left out, and
  /// `needs` says which. Lists of swiftget have such objects, too. A closure of a policy is no part of a request.
  public var json: String {
    var object = json(urls: urls.map(StoredURL.withoutUserinfo), headers: headers.filter { !$0.isSecret })
    addPlace(to: &object)
    if settings != DownloadSettings() { object.add("settings", settings.json) }
    object.add(secrets, and: settings.secrets)
    return object.string
  }

  /// A request of an object as `json` makes it. Unknown members are ignored.
  ///
  /// - Throws: `invalidRequest` for what is no such object.
  public init(json text: String) throws(DownloadError) {
    guard let json = JSONValue(text: text) else { throw DownloadError(.invalidRequest, "the text is no JSON") }
    self = try DownloadRequest(json, sharing: DownloadSettings())
  }

  /// - Parameter shared: the settings of a request that names none.
  init(_ json: JSONValue, sharing shared: DownloadSettings) throws(DownloadError) {
    guard let text = StoredRequestText(json: json) else {
      throw DownloadError(.invalidRequest, "the object is no request: it needs \"url\"")
    }
    self = text.request
    headers = headers.hiding(json["secret_headers"])
    name = json["out"]?.string
    if let bytes = json.bytes("out", hexadecimal: "out_bytes"), name.map({ Array($0.utf8) }) != bytes {
      listed.name = bytes
    }
    directory = json["dir"]?.string
    group = json["group"]?.string
    priority = json["priority"]?.integer.flatMap { Int(exactly: $0) } ?? 0
    settings = try json["settings"].map { (json) throws(DownloadError) in try DownloadSettings(given: json) } ?? shared
    credential = json.credential
  }

  private func addPlace(to object: inout JSONObject) {
    if let directory { object.add("dir", directory) }
    if let name = listed.name ?? name.map({ Array($0.utf8) }) { object.add(bytes: name, as: "out") }
    if let group { object.add("group", group) }
    if priority != 0 { object.add("priority", Int64(priority)) }
  }

  private func json(urls: [String], headers: [HeaderField]) -> JSONObject {
    var object = JSONObject()
    object.add("url", oneOrMore: urls.map { JSONObject.quoted($0) })
    if let expectedSize { object.add("size", expectedSize) }
    let digests = checksums.compactMap(\.digest)
    if !digests.isEmpty { object.add("checksum", JSONObject(digests)) }
    if !headers.isEmpty { object.add("headers", JSONObject(fields: headers)) }
    if let pieces = listed.pieces { object.add("pieces", JSONObject(pieces)) }
    if listed.isUntrusted { object.add("untrusted", true) }
    if let key { object.add("key", key) }
    if !info.isEmpty { object.add("info", JSONObject(info: info)) }
    return object
  }

  private var secrets: [StoredNeed] {
    var needs = headers.filter(\.isSecret).map { StoredNeed.header($0.name) }
    if credential != nil || urls.contains(where: StoredURL.hasUserinfo) { needs.append(.user) }
    return needs
  }
}

extension JSONObject {
  /// Adds the parameters `requests` and `settings` of the method `add`: the settings of the first request are written once.
  package mutating func add(requests: [DownloadRequest]) {
    let shared = requests.first?.settings ?? DownloadSettings()
    if shared != DownloadSettings() { add("settings", shared.controlText) }
    add("requests", requests.map { $0.controlText(besides: shared) })
  }

  /// Adds the member `needs`, with each need once.
  fileprivate mutating func add(_ needs: [StoredNeed], and further: [StoredNeed]) {
    var all = needs
    for need in further where !all.contains(need) { all.append(need) }
    if !all.isEmpty { add("needs", all.map(\.text)) }
  }
}

/// What the text of a stored request says.
struct StoredRequestText {
  var request: DownloadRequest
  var isNamedByAnswer: Bool
  var needs: [StoredNeed]

  /// Members that are not known are ignored; nil for what is no request.
  init?(json: JSONValue) {
    guard let url = json["url"] else { return nil }
    request = DownloadRequest("")
    request.urls = (url.elements.map { Array($0) } ?? [url]).compactMap(\.string)
    guard !request.urls.isEmpty else { return nil }
    if let size = json["size"] {
      guard let integer = size.integer, integer >= 0 else { return nil }
      request.expectedSize = integer
    }
    if let checksum = json["checksum"] {
      guard checksum.isObject else { return nil }
      for (name, digits) in checksum.members {
        guard let text = digits.string else { return nil }
        let sum = FileChecksum("\(String(decoding: name, as: UTF8.self)):\(text)")
        guard sum.isWellFormed else { return nil }
        request.checksums.append(sum)
      }
    }
    if let headers = json["headers"] {
      guard let fields = headers.headerFields else { return nil }
      request.headers = fields
    }
    if let pieces = json["pieces"] {
      guard let known = PieceHashes(json: pieces) else { return nil }
      request.listed.pieces = known
    }
    request.listed.isUntrusted = json["untrusted"]?.boolean ?? false
    request.key = json["key"]?.string
    request.info = json["info"]?.info ?? [:]
    isNamedByAnswer = json["named_by_answer"]?.boolean ?? false
    var needs: [StoredNeed] = []
    for need in json["needs"]?.elements.map({ Array($0) }) ?? [] {
      // One that a later version knows cannot be met by this one.
      guard let text = need.string, let known = StoredNeed(text: text) else { return nil }
      needs.append(known)
    }
    self.needs = needs
  }
}

extension PieceHashes {
  fileprivate init?(json: JSONValue) {
    guard let algorithm = json["algorithm"]?.string.flatMap({ DigestAlgorithm(rawValue: $0) }),
      let length = json["length"]?.integer, let hashes = json["hashes"]?.elements
    else { return nil }
    let digests = hashes.compactMap { $0.text.flatMap { ContentDigest(algorithm, hex: $0) } }
    guard digests.count == hashes.count else { return nil }
    self.init(length: length, digests: digests)
  }
}
