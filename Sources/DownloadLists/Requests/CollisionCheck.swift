internal import DownloadCore
internal import DownloadWords

/// Merges equal requests, and refuses different ones with one target.
///
/// It reads everything once more, but compares only suspects: requests whose keys another one has, too.
struct CollisionCheck {
  /// The keys that `TargetKeys` has found.
  let suspects: [UInt64]
  let places: TargetPlaces
  /// Whether the file system is asked about names that it may take for one.
  let probes: Bool
  private let firstRequests = FirstRequests()

  init(_ suspects: [UInt64], _ places: TargetPlaces, probes: Bool) {
    (self.suspects, self.places, self.probes) = (suspects, places, probes)
  }

  private func isSuspect(_ key: UInt64) -> Bool { suspects.sortedIndex(of: TargetKeys.kept(key)) != nil }

  /// - Parameters:
  ///   - reader: is at its start, and is left at its end.
  ///   - merged: gets what equal requests say together.
  func run(
    _ reader: RequestReader, _ selection: inout ItemSelection, _ merged: MergedContents, _ findings: inout ListFindings
  ) throws(Failure) {
    func isSkipped(_ entry: PlainEntry) -> Bool {
      !isSuspect(places.key(of: entry)) && !places.missingDirectoryKeys(of: entry).contains(where: isSuspect)
    }
    while !findings.areEnough,
      let request = try reader.next(skipping: isSkipped)?.request
    {
      guard !selection.leftOut.contains(request.task.position) else { continue }
      let directories = places.missingDirectories(of: request).filter { isSuspect($0.key) }.map(\.place)
      if try refuseFile(at: directories, onTheWayTo: request, &selection, &findings) { continue }
      guard isSuspect(places.key(of: request)) else { continue }
      let wanted = FirstRequests.Request(
        item: request.task.position, sources: Self.sourcesHash(of: request), content: request.stated,
        place: request.shownPlace, target: places.place(of: request))
      guard let other = try firstRequests.earlier(than: wanted) else {
        try examineSpelling(of: request, wanted, &selection, &findings)
        continue
      }
      if other.isDirectory {
        let error = Self.fileAndDirectory(wanted.place, other.place, request.target.name)
        Self.refuse(error, other.item, request, &selection, &findings)
        continue
      }
      guard other.sources == wanted.sources else {
        let error = Failure(
          .usage,
          words:
            "\(other.place) and \(wanted.place) would both be written to \(Diagnostic.escaped(request.target.name))",
          hint: request.source == nil
            ? "use \(.mirror) for a second URL of the same file; \(ListMessages.templateForURLs) tells files apart by their URLs"
            : ListMessages.collisionHint(reader.inputs[reader.inputIndex].format))
        Self.refuse(error, other.item, request, &selection, &findings)
        continue
      }
      let known = try merged.content(of: other.item) ?? other.content
      var content = known
      do { try content.merge(request.stated) } catch {
        let error = Failure(error, of: "\(other.place) and \(wanted.place)")
        Self.refuse(error, other.item, request, &selection, &findings)
        continue
      }
      if content != known { try merged.set(other.item, content) }
      selection.leaveOut(request.task.position, of: request, .part(of: other.item))
    }
    places.endProbing()
  }

  /// Refuses a request and an earlier one whose target is to be a directory on the way to the first one's.
  ///
  /// - Parameter directories: the places of directories that do not exist.
  /// - Returns: whether there is such a request.
  private func refuseFile(
    at directories: [[UInt8]], onTheWayTo request: FileRequest, _ selection: inout ItemSelection,
    _ findings: inout ListFindings
  ) throws(Failure) -> Bool {
    for directory in directories {
      let wanted = FirstRequests.Request(
        item: request.task.position, sources: 0, content: StatedContent(), place: request.shownPlace, target: directory,
        isDirectory: true)
      guard let other = try firstRequests.earlier(than: wanted), !other.isDirectory,
        !selection.leftOut.contains(other.item)
      else { continue }
      let error = Self.fileAndDirectory(other.place, wanted.place, request.target.name)
      Self.refuse(error, other.item, request, &selection, &findings)
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
    of request: FileRequest, _ wanted: FirstRequests.Request, _ selection: inout ItemSelection,
    _ findings: inout ListFindings
  ) throws(Failure) {
    guard probes, places.folds(request),
      let other = try firstRequests.earlier(than: wanted, alike: places.key(of: request)),
      let names = places.alikeNames(other.target, request)
    else { return }
    let error = Failure(
      .usage,
      words:
        "\(other.place) and \(wanted.place) would both be written to one file: \(Diagnostic.escaped(names.one)) and "
        + "\(Diagnostic.escaped(names.other)) are one name on this file system",
      hint: "name one of them otherwise with out= in a list, or choose a directory on another file system with \(.dir)")
    Self.refuse(error, other.item, request, &selection, &findings)
  }

  /// Leaves out a request and an earlier one with its target. The run may start without them only if it keeps going.
  private static func refuse(
    _ error: Failure, _ earlier: Int, _ request: FileRequest, _ selection: inout ItemSelection,
    _ findings: inout ListFindings
  ) {
    findings.add(error, isOfList: request.source != nil)
    selection.leaveOut(earlier, of: request)
    selection.leaveOut(request.task.position, of: request)
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
}
