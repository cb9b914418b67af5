internal import DownloadCore
internal import DownloadEngine
internal import DownloadFiles
internal import DownloadScratch
internal import Glibc

/// The index of a list's finished files, in the user's cache directory.
///
/// A file of the index has a head and `FinishedFileRecord`s, and is replaced as a whole. It is not synced: what is lost costs the next
/// run the attributes of the files, and a record that does not fit its file is not believed. Whatever is wrong with an
/// index, the run does without it.
package final class FinishedIndex: FinishedFileIndex {
  private let path: [UInt8]
  private var old: FinishedIndexReader?
  /// Records of this run that are not in `spool` yet.
  private var pending: [UInt8] = []
  private var spool: TextSpool?
  /// All records of this run.
  private var count = 0
  private var byteCount = 0
  /// Records that the old index has, too.
  private var knownCount = 0
  /// A file of this run has no mark as an attribute.
  private var isNeeded = false
  private var hasFailed = false

  /// Fewer files are looked at one by one: that takes a few milliseconds.
  static let leastFiles = 1000
  /// Bytes of the largest index, enough for 1.5 million files with SHA-256. The others are looked at one by one.
  static let mostBytes = 128 << 20
  /// Days after which an index that was not used is removed.
  private static let lifetime: Int64 = 180
  private static let prefix = Array("finished-".utf8)
  private static let blockByteCount = 64 << 10

  /// - Parameters:
  ///   - directory: swiftget's own in the user's cache directory; it is made when it is needed.
  ///   - name: of the list and of its target directory, the same for each run.
  package init(directory: [UInt8], name: UInt64) {
    path = directory + [UInt8(ascii: "/")] + Self.prefix + StableHash.hexadecimal(name).utf8
    old = FinishedIndexReader(path)
  }

  /// Whether the directory is there and belongs to the user who runs us.
  package static func isOwn(_ directory: [UInt8]) -> Bool {
    guard let status = try? SystemCalls.fstatat(SystemCalls.workingDirectory, directory) else { return false }
    return status.kind == .directory && status.owner == SystemCalls.user
  }

  func file(ofKey key: UInt64) -> FinishedFile? { old?.file(ofKey: key) }

  func add(_ record: FinishedFileRecord, isKnown: Bool) {
    guard byteCount < Self.mostBytes, !hasFailed else { return }
    let start = pending.count
    record.append(to: &pending)
    byteCount += pending.count - start
    count += 1
    if isKnown { knownCount += 1 }
    if !record.file.isMarked { isNeeded = true }
    if pending.count >= Self.blockByteCount, count >= Self.leastFiles { flush() }
  }

  private func flush() {
    if spool == nil {
      makeDirectory()
      spool = try? TextSpool(beside: path)
    }
    guard let spool else {
      hasFailed = true
      return
    }
    spool.append(pending)
    pending.removeAll(keepingCapacity: true)
  }

  /// Writes the index for the next run, if this run has learned something.
  ///
  /// - Parameters:
  ///   - isWhole: whether the run went through the whole list.
  ///   - run: the run where all its files are in place, as many as `itemCount`; nil for another one.
  package func save(isWhole: Bool, run: FinishedRun?, itemCount: Int?) {
    guard count >= Self.leastFiles || isNeeded, byteCount < Self.mostBytes else { return }
    let head = FinishedIndexHead(run: count == itemCount ? run : nil, count: UInt64(count))
    if let old, !isWhole || count == knownCount && old.head == head { return old.touch() }
    flush()
    if hasFailed { return }
    do { try spool?.replaceFile(beginning: head.bytes, isPrivate: true, syncs: false) } catch { return }
    removeUnused()
  }

  /// The run that wrote the index, if it found or made all its files.
  package var finishedRun: FinishedRun? { old?.head.run }

  /// Looks at all files of the run that wrote the index.
  ///
  /// - Parameter directory: its target directory.
  /// - Returns: how many files there are, and their bytes; nil where one is not as it was.
  package func allFiles(in directory: [UInt8]) -> (count: Int, byteCount: Int64)? {
    guard let old,
      let root = try? TargetDirectory.open(path: directory, creating: false)
    else { return nil }
    var all: (count: Int, byteCount: Int64) = (0, 0)
    let areThere = old.readAll { record in
      let components = record.name.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map(Array.init)
      guard let place = try? root.resolve(components, creating: false),
        case .regular(let file) = try? ExistingTarget.inspect(place, noted: record.file), file.noted != nil
      else { return false }
      all.count += 1
      all.byteCount += file.size
      return true
    }
    if areThere { old.touch() }
    // Its place is at the end.
    if !areThere { self.old = FinishedIndexReader(path) }
    return areThere ? all : nil
  }

  /// Makes the directory and the cache directory in which it is.
  private func makeDirectory() {
    let (directory, _) = WholeFile.split(path)
    let (cache, _) = WholeFile.split(directory)
    for directory in [cache, directory] {
      try? SystemCalls.mkdirat(SystemCalls.workingDirectory, directory, mode: 0o700)
    }
  }

  /// Removes indexes of lists that nobody has downloaded for a long time.
  private func removeUnused() {
    let (directory, _) = WholeFile.split(path)
    guard let names = try? DirectoryNames.read(path: directory) else { return }
    let now = Int64(time(nil))
    for name in names where name.starts(with: Self.prefix) {
      let file = directory + [UInt8(ascii: "/")] + name
      guard let status = try? SystemCalls.fstatat(SystemCalls.workingDirectory, file), status.kind == .regular,
        now - status.modified.seconds > Self.lifetime * 86_400
      else { continue }
      try? SystemCalls.unlinkat(SystemCalls.workingDirectory, file)
    }
  }
}
