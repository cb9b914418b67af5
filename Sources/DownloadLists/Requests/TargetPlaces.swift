internal import DownloadCore
internal import DownloadFiles
internal import DownloadScratch
internal import Glibc

/// Where the targets of a run are, so that those that are one file are found before the start.
///
/// Two paths may lead to one directory, through a link or a mount: of each path the part that exists stands for its
/// device and inode. And two names may be one, where a file system ignores case or how characters are composed: such
/// names have equal keys, and the file system is asked about them.
final class TargetPlaces {
  /// The directory of the run; absolute, without a slash at its end.
  private let directory: [UInt8]
  /// The places of directories that were looked at last, by the hashes of their paths.
  private var known: [UInt64: (path: [UInt8], directory: Directory)] = [:]
  private var newest: (path: [UInt8], directory: Directory)?
  /// The keys of missing directories for `takeMissingDirectories`; nil once it was asked for the last time.
  private var missing: [UInt64]? = []
  /// Nil in it where the file system cannot be asked.
  private var probes: [[UInt8]: NameProbe?] = [:]

  private static let mostKnown = 1024
  private static let slash = UInt8(ascii: "/")

  /// A directory by the part of its path that exists, and the rest.
  private struct Directory {
    /// The path of the part that exists.
    var existing: [UInt8]
    /// The identity of that part, and the rest.
    var name: [UInt8]
    var key: UInt64
    /// The keys of the directories that do not exist, and how much of `name` leads to each of them.
    var missing: [(key: UInt64, end: Int)] = []
  }

  init(directory: [UInt8]) { self.directory = AbsolutePath.cleaned(directory) }

  // MARK: Keys and places

  /// Equal for targets that may be one file.
  func key(of request: FileRequest) -> UInt64 {
    guard case .listed(let components) = request.target, components.count == 1, !request.isNamedByAnswer else {
      if request.target.isStream { return StableHash.fnv1a(request.target.name) }
      let (directory, name) = split(request)
      return key(of: name, of: request, in: directory)
    }
    return key(of: components[0], of: request, in: place(ofDirectory: []))
  }

  private func key(of name: [UInt8], of request: FileRequest, in directory: Directory) -> UInt64 {
    let key = name.withUnsafeBytes { Self.key(of: $0, inDirectory: directory.key) }
    return request.isNamedByAnswer ? StableHash.fnv1a(request.mirrors[0].location.text, continuing: key) : key
  }

  func key(of entry: PlainEntry) -> UInt64 {
    let slash = entry.name.lastIndex(of: Self.slash)
    let name = UnsafeRawBufferPointer(rebasing: entry.name[(slash.map { $0 + 1 } ?? 0)...])
    let place = place(ofDirectory: UnsafeRawBufferPointer(rebasing: entry.name[..<(slash ?? 0)]))
    return Self.key(of: name, inDirectory: place.key)
  }

  /// The keys of missing directories on the way to targets since the last call; some may be there again.
  ///
  /// - Parameter isLast: whether no further ones are wanted.
  func takeMissingDirectories(isLast: Bool = false) -> [UInt64] {
    defer { if isLast { missing = nil } else if missing?.isEmpty == false { missing = [] } }
    return missing ?? []
  }

  /// Directories that do not exist on the way to a target: their keys, which are those of targets at their places.
  func missingDirectories(of request: FileRequest) -> [(key: UInt64, place: [UInt8])] {
    if request.target.isStream { return [] }
    let directory = split(request).directory
    return directory.missing.map { ($0.key, Array(directory.name[..<$0.end])) }
  }

  func missingDirectoryKeys(of entry: PlainEntry) -> some Sequence<UInt64> {
    let slash = entry.name.lastIndex(of: Self.slash)
    return place(ofDirectory: UnsafeRawBufferPointer(rebasing: entry.name[..<(slash ?? 0)])).missing.lazy.map(\.key)
  }

  /// Differs for targets with different names, and is equal for all paths of one directory. Requests that the server
  /// names differ by their URLs.
  func place(of request: FileRequest) -> [UInt8] {
    if request.target.isStream { return request.target.name }
    let (directory, name) = split(request)
    let place = directory.name + [Self.slash] + name
    return request.isNamedByAnswer ? place + [0] + Array(request.mirrors[0].location.text.utf8) : place
  }

  private func split(_ request: FileRequest) -> (directory: Directory, name: [UInt8]) {
    let path = request.target.name
    let end = path.lastIndex(of: Self.slash)
    return (
      path.withUnsafeBytes {
        place(ofDirectory: UnsafeRawBufferPointer(rebasing: $0[..<(end.map { max($0, 1) } ?? 0)]))
      },
      Array(path[(end.map { $0 + 1 } ?? 0)...])
    )
  }

  /// - Parameter path: relative to the directory of the run, or absolute.
  private func place(ofDirectory path: UnsafeRawBufferPointer) -> Directory {
    if let newest, newest.path.elementsEqual(path) { return newest.directory }
    let hash = StableHash.fnv1a(path)
    if let found = known[hash], found.path.elementsEqual(path) {
      newest = found
      return found.directory
    }
    let path = Array(path)
    let found = (path, look(AbsolutePath.cleaned(AbsolutePath.of(path, in: directory))))
    if known.count >= Self.mostKnown { known.removeAll(keepingCapacity: true) }
    known[hash] = found
    newest = found
    missing?.append(contentsOf: found.1.missing.map(\.key))
    return found.1
  }

  private func look(_ path: [UInt8]) -> Directory {
    var end = path.endIndex
    while true {
      let existing = end == path.startIndex ? [Self.slash] : Array(path[..<end])
      if let identity = Self.identity(existing) {
        let rest = Array(path[end...])
        return Directory(
          existing: existing, name: identity + rest, key: AlikeNames.hash(rest, continuing: StableHash.fnv1a(identity)),
          missing: Self.missing(rest, in: identity))
      }
      guard let slash = path[..<end].lastIndex(of: Self.slash) else {
        return Directory(existing: [], name: path, key: AlikeNames.hash(path, continuing: StableHash.seed))
      }
      end = slash
    }
  }

  /// - Parameter rest: the part of a path that does not exist; begins with a slash.
  private static func missing(_ rest: [UInt8], in identity: [UInt8]) -> [(key: UInt64, end: Int)] {
    var missing: [(key: UInt64, end: Int)] = []
    var start = rest.startIndex
    while start < rest.endIndex {
      let end = rest[(start + 1)...].firstIndex(of: slash) ?? rest.endIndex
      let directory = AlikeNames.hash(Array(rest[..<start]), continuing: StableHash.fnv1a(identity))
      let name = rest[(start + 1)..<end]
      missing.append((name.withUnsafeBytes { key(of: $0, inDirectory: directory) }, identity.count + end))
      start = end
    }
    return missing
  }

  private static func key(of name: UnsafeRawBufferPointer, inDirectory key: UInt64) -> UInt64 {
    AlikeNames.hash(name, continuing: StableHash.fnv1a("/", continuing: key))
  }

  /// `DEVICE:INODE` of a directory; nil where there is none.
  private static func identity(_ path: [UInt8]) -> [UInt8]? {
    guard let status = stat(of: path), status.type == S_IFDIR else { return nil }
    return Array("\(status.st_dev):\(status.st_ino)".utf8)
  }

  // MARK: Names

  /// Whether the file system of a target takes any two names for one.
  func folds(_ request: FileRequest) -> Bool { probe(for: request)?.folds ?? false }

  /// The first names on the ways to two targets that differ, if the file system takes all of them for one.
  ///
  /// - Parameters:
  ///   - earlier: a place with the same key.
  ///   - request: the other one.
  func alikeNames(_ earlier: [UInt8], _ request: FileRequest) -> (one: [UInt8], other: [UInt8])? {
    let later = place(of: request)
    // Both paths begin with directories that exist.
    guard later.prefix(while: { $0 != Self.slash }) == earlier.prefix(while: { $0 != Self.slash }) else { return nil }
    return probe(for: request)?.alikeNames(earlier, later)
  }

  /// There is one for the whole tree of the run.
  private func probe(for request: FileRequest) -> NameProbe? {
    guard !request.isNamedByAnswer else { return nil }
    let place: Directory
    switch request.target {
    case .listed: place = self.place(ofDirectory: [])
    case .path: place = split(request).directory
    case .standardOutput, .inherited, .descriptor: return nil
    }
    if let known = probes[place.existing] { return known }
    let probe = NameProbe(in: place.existing)
    probes[place.existing] = .some(probe)
    return probe
  }

  /// Leaves nothing in the directories that were asked about.
  func endProbing() { probes = [:] }
}

extension TargetPlaces {
  private func place(ofDirectory path: [UInt8]) -> Directory { path.withUnsafeBytes { place(ofDirectory: $0) } }
}
