internal import DownloadFiles
internal import DownloadScratch

/// What is recorded beside the files of an unfinished set: which files it has when it is whole, and which of them it lacks.
///
/// Without a record of the latter it may lack all of them. A record that is damaged is none.
struct SetRecord {
  /// The directory of the records.
  let directory: Int32

  private static let names = Array("names".utf8)
  private static let missing = Array("missing".utf8)
  private static let magic = Array("swiftget set 1\n\n".utf8)

  /// The keys of all files, sorted; nil where nothing is recorded.
  func readNames() -> [UInt64]? { read(Self.names) }

  /// The keys of the files that were missing at the end of the last run; nil where that is not recorded.
  func readMissing() -> [UInt64]? { read(Self.missing) }

  /// Begins a set.
  func begin(_ names: [UInt64], syncs: Bool) throws(SystemCallError) {
    remove()
    try write(names, Self.names, syncs: syncs)
  }

  /// - Parameter keys: sorted.
  func write(missing keys: [UInt64], syncs: Bool) throws(SystemCallError) {
    try? SystemCalls.unlinkat(directory, Self.missing)
    try write(keys, Self.missing, syncs: syncs)
  }

  func remove() {
    for name in [Self.missing, Self.names] { try? SystemCalls.unlinkat(directory, name) }
  }

  private func write(_ keys: [UInt64], _ name: [UInt8], syncs: Bool) throws(SystemCallError) {
    var text = Self.magic
    text.reserveCapacity(Self.magic.count + 8 * keys.count + 8)
    for key in CollectionOfOne(UInt64(keys.count)) + keys { text.append(number: key) }
    try NewFile.write(text, name, in: directory, syncs: syncs)
  }

  private func read(_ name: [UInt8]) -> [UInt64]? {
    guard let text = SystemCalls.content(of: name, in: directory), text.starts(with: Self.magic) else { return nil }
    let numbers = text.dropFirst(Self.magic.count)
    guard numbers.count >= 8, numbers.count % 8 == 0 else { return nil }
    var keys = stride(from: numbers.startIndex, to: numbers.endIndex, by: 8).map { UInt64(in: numbers, at: $0) }
    guard keys.removeFirst() == keys.count, keys == SetNames.sorted(keys) else { return nil }
    return keys
  }
}
