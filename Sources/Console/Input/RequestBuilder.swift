import DownloadCore
import DownloadEngine

/// Makes requests of what the command line and the lists name: URLs parsed, names derived and checked.
struct RequestBuilder {
  /// Where relative names of checksum lists are, ending with a slash.
  private let base: Location?
  private let baseUserinfo: String?
  private var parser = LocationParser()

  init(baseURL: [UInt8]?) throws(DownloadError) {
    guard let baseURL else {
      base = nil
      baseUserinfo = nil
      return
    }
    let parsed = try Self.parsed(baseURL, &parser, what: "--base-url")
    let path = parsed.location.path.hasSuffix("/") ? parsed.location.path : parsed.location.path + "/"
    base = Location(origin: parsed.location.origin, path: path, query: parsed.location.query)
    baseUserinfo = parsed.userinfo
  }

  /// Whom `--base-url` names.
  var baseOrigin: Origin? { base?.origin }

  /// A URL of the command line.
  mutating func request(
    item: Int, url: [UInt8], mirrors: [[UInt8]], output: [UInt8]?, checksums: [ContentDigest]
  ) throws(DownloadError) -> DownloadRequest {
    let (address, digest) = Self.splitFragment(url)
    var urls = [try Self.parsed(address, &parser, what: nil)]
    for mirror in mirrors { urls.append(try Self.parsed(mirror, &parser, what: "--mirror")) }
    let target: TargetChoice
    switch output {
    case nil: target = .listed([try Self.derivedName(urls[0].location)])
    case [UInt8(ascii: "-")]: target = .standardOutput
    case let path?: target = .path(path)
    }
    return DownloadRequest(
      item: item, mirrors: urls, target: target, digests: checksums.isEmpty ? digest.map { [$0] } ?? [] : checksums)
  }

  /// An entry of a list.
  mutating func request(item: Int, entry: ManifestEntry, source: SourceLine) throws(DownloadError) -> DownloadRequest {
    do throws(DownloadError) {
      if let name = entry.name { return try listedFile(item, name, entry, source) }
      var mirrors: [MirrorURL] = []
      for url in entry.urls { mirrors.append(try Self.parsed(url, &parser, what: nil)) }
      return DownloadRequest(
        item: item, mirrors: mirrors, target: try target(of: entry, first: mirrors[0].location),
        digests: entry.digests, headers: entry.headers.map { String(decoding: $0, as: UTF8.self) }, source: source)
    } catch {
      throw DownloadError(error.code, "\(source.text): \(error.message)", hint: error.hint)
    }
  }

  private func listedFile(
    _ item: Int, _ name: [UInt8], _ entry: ManifestEntry, _ source: SourceLine
  ) throws(DownloadError) -> DownloadRequest {
    guard let base else {
      throw DownloadError(
        .usage, "a checksum list tells names, not where they are",
        hint: "say where with --base-url URL")
    }
    let components = try Self.checked(name)
    let location = Location(
      origin: base.origin, path: base.path + Self.encoded(components), query: base.query)
    return DownloadRequest(
      item: item, mirrors: [MirrorURL(location: location, userinfo: baseUserinfo)], target: .listed(components),
      digests: entry.digests, source: source)
  }

  private func target(of entry: ManifestEntry, first: Location) throws(DownloadError) -> TargetChoice {
    let name: [[UInt8]]
    if let out = entry.out { name = try Self.checked(out) } else { name = [try Self.derivedName(first)] }
    guard let directory = entry.directory else { return .listed(name) }
    guard directory.first == UInt8(ascii: "/") else { return .listed(try Self.checked(directory) + name) }
    // As with -d, the list's owner may choose any directory; the name stays inside it.
    let slash = CollectionOfOne(UInt8(ascii: "/"))
    let trimmed = directory.dropFirst()
    let components = trimmed.allSatisfy { $0 == UInt8(ascii: "/") } ? [] : try Self.checked(Array(trimmed))
    return .path([UInt8(ascii: "/")] + Array((components + name).joined(separator: slash)))
  }

  private static func derivedName(_ location: Location) throws(DownloadError) -> [UInt8] {
    try checked(TargetName.fromURLPath(location.path))[0]
  }

  private static func checked(_ path: [UInt8]) throws(DownloadError) -> [[UInt8]] {
    var path = path
    while path.count > 1, path.last == UInt8(ascii: "/"), path.dropLast().last != nil { path.removeLast() }
    do {
      return try TargetName.checked(path)
    } catch {
      throw DownloadError(
        .usage, "\(Diagnostic.escaped(path)): \(error.reason)", hint: "choose the name with -o (or out= in the list)")
    }
  }

  /// Path segments as they go into a URL (RFC 3986 section 3.3).
  private static func encoded(_ components: [[UInt8]]) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var text: [UInt8] = []
    for (index, component) in components.enumerated() {
      if index > 0 { text.append(UInt8(ascii: "/")) }
      for byte in component {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
          UInt8(ascii: "~"), UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&"), UInt8(ascii: "'"),
          UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: ","),
          UInt8(ascii: ";"), UInt8(ascii: "="), UInt8(ascii: ":"), UInt8(ascii: "@"):
          text.append(byte)
        default: text += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// `url#sha256=HEX`: the digest taken off; any other fragment is dropped by the parser.
  private static func splitFragment(_ url: [UInt8]) -> ([UInt8], ContentDigest?) {
    guard let hash = url.lastIndex(of: UInt8(ascii: "#")) else { return (url, nil) }
    let fragment = String(decoding: url[(hash + 1)...], as: UTF8.self)
    return (Array(url[..<hash]), ContentDigest(text: fragment))
  }

  private static func parsed(
    _ url: [UInt8], _ parser: inout LocationParser, what: String?
  ) throws(DownloadError) -> MirrorURL {
    do {
      return try parser.parse(url)
    } catch {
      let text = Diagnostic.escaped(redacted(url))
      let isBare = !url.contains(UInt8(ascii: ":")) || error == .malformed
      throw DownloadError(
        .usage, "\(what.map { "\($0) " } ?? "")\(text): \(error.text)",
        hint: isBare ? "URLs begin with https:// or http://" : nil)
    }
  }

  /// What can be shown of a URL that could not be parsed: no userinfo, no query.
  private static func redacted(_ url: [UInt8]) -> [UInt8] {
    var shown = Array(url.prefix { $0 != UInt8(ascii: "?") })
    if let at = shown.lastIndex(of: UInt8(ascii: "@")) {
      let scheme = shown.firstRange(of: Array("://".utf8)).map { Array(shown[..<$0.upperBound]) } ?? []
      shown = scheme + Array(shown[(at + 1)...])
    }
    return Array(shown.prefix(200))
  }
}
