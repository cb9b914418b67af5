internal import DownloadCore
internal import DownloadFiles

/// Remembers which files of a directory runs with `--atomic` have published, so that those can go that leave the list.
package struct PublishedFiles: Sendable {
  /// The file of the record.
  private let path: [UInt8]

  /// - Parameters:
  ///   - cache: the directory of records.
  ///   - directory: the absolute path of the directory that is published.
  package init(in cache: [UInt8], of directory: [UInt8]) {
    path = DirectoryHandle.joined(
      cache, Array("set-\(StableHash.hexadecimal(StableHash.fnv1a(directory)))".utf8))
  }

  func read() -> SetFiles? {
    SystemCalls.content(of: path, in: SystemCalls.workingDirectory).flatMap { SetFiles(text: $0) }
  }

  /// Without a record nothing is left out, so that no failure is of interest.
  func write(_ files: SetFiles) {
    _ = try? TargetDirectory.open(path: WholeFile.split(path).directory)
    try? WholeFile.replace(path, mode: FileMode.ownerOnly, durability: .content) { (write) throws(SystemCallError) in
      try write(files.text)
    }
  }

  /// What a set has, and what it leaves out of the previous one.
  final class Content {
    private let earlier: SetFiles?
    private let names: SetNames?
    private let prunes: Bool
    private(set) var leftOutCount = 0

    /// - Parameter names: of the set; nil where they are not known.
    init(_ published: PublishedFiles?, of names: SetNames?, prunes: Bool) {
      earlier = names == nil ? nil : published?.read()
      self.names = names
      self.prunes = prunes
    }

    /// Whether all names of the set are remembered.
    var isRecorded: Bool { names.map { earlier?.containsAll($0.keys) ?? false } ?? true }

    var mayLeaveOut: Bool { prunes && earlier.map { $0.count > 0 } ?? false }

    /// Whether the file was published by an earlier run, is as it was then, and has left the list.
    func leavesOut(_ path: [UInt8], _ status: FileStatus, isCounted: Bool = true) -> Bool {
      guard mayLeaveOut, let names, !names.contains(path), earlier?.contains(names.key(of: path), status) == true else {
        return false
      }
      if isCounted { leftOutCount += 1 }
      return true
    }

    /// The key of a file that this run or an earlier one has published; nil for others.
    func key(ofPublished path: [UInt8], _ status: FileStatus) -> UInt64? {
      guard let names else { return nil }
      let key = names.key(of: path)
      return names.contains(path) || earlier?.contains(key, status) == true ? key : nil
    }
  }
}
