internal import DownloadCore
internal import DownloadWords

/// The files that a run writes about itself. No request may have one of them as its target: what is published there would
/// be replaced, or written into.
package struct OwnFiles {
  private struct File {
    let setting: Setting
    let shown: String
    /// The path, and where it leads.
    let places: [FilePlace]
  }

  private let files: [File]

  package init(_ records: RecordPaths) {
    files = records.all.map { setting, path in
      let place = FilePlace(path)
      return File(
        setting: setting, shown: NamedFiles.shown(path), places: [place] + [place.behindLinks].compactMap(\.self))
    }
  }

  /// Whether a target with this path may be one of the files: the last component is that of one of them.
  func mayMeet(_ path: some BidirectionalCollection<UInt8>) -> Bool {
    files.contains { file in
      file.places.contains { place in
        let name = place.name
        // Most names have another last letter and need no comparison.
        guard path.last == name.last, path.suffix(name.count).elementsEqual(name) else { return false }
        return path.dropLast(name.count).last.map { $0 == UInt8(ascii: "/") } ?? true
      }
    }
  }

  /// - Parameters:
  ///   - target: the absolute path of a target.
  ///   - place: the line or the URL that names it.
  /// - Returns: nil if it is none of the files.
  func conflict(with target: [UInt8], of place: String) -> Conflict? {
    guard mayMeet(target) else { return nil }
    let found = FilePlace(absolute: target)
    guard let file = files.first(where: { $0.places.contains { $0.isSameName(as: found) } }) else { return nil }
    return Conflict(
      isWithLog: file.setting == .log,
      error: Failure(
        .usage, words: "\(file.setting) and \(place) would both be written to \(file.shown)",
        hint: "give \(file.setting) another file, which no request has", about: ["\(file.setting)"]))
  }

  /// The names of the files that are in a directory or below it, relative to it.
  ///
  /// - Parameter directory: a path.
  package func names(in directory: [UInt8]) -> [[UInt8]] { files.flatMap { Self.names(of: $0, in: directory) } }

  private static func names(of file: File, in directory: [UInt8]) -> [[UInt8]] {
    let place = FilePlace(directory)
    let paths = [place.path] + [place.behindLinks?.path].compactMap(\.self)
    return file.places.compactMap { place in
      for path in paths where place.path.starts(with: path + [slash]) {
        return Array(place.path.dropFirst(path.count + 1))
      }
      return place.isSameName(as: FilePlace(absolute: paths[0] + [slash] + place.name)) ? place.name : nil
    }
  }

  /// The files that would replace one of a bag's own files or change its payload.
  func conflicts(with bag: BagContents) throws(Failure) -> [Conflict] {
    var conflicts: [Conflict] = []
    for file in files {
      for name in Self.names(of: file, in: bag.path) {
        let reason: String
        if name.split(separator: Self.slash).first?.elementsEqual(BagPath.payload) ?? false {
          reason = "would be a file of the payload of the bag"
        } else if try bag.isOwnFile(name) {
          reason = "is a file of the bag"
        } else {
          continue
        }
        conflicts.append(
          Conflict(
            isWithLog: file.setting == .log,
            error: Failure(
              .usage, words: "\(file.setting): \(file.shown) \(reason)",
              hint: "give \(file.setting) a file outside of the bag, or beside its own files",
              about: ["\(file.setting)"])
          ))
        break
      }
    }
    return conflicts
  }

  private static let slash = UInt8(ascii: "/")

  package struct Conflict {
    /// Whether the log would write into the target.
    let isWithLog: Bool
    let error: Failure
  }
}
