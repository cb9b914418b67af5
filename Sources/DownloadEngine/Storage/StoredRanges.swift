internal import DownloadCore
internal import DownloadFiles

/// The bytes of an item's part file as its records name them: which mirror they came from, which are on stable storage.
struct StoredRanges {
  /// A mirror, and what is written of it.
  private struct Source {
    let location: Location
    var written = ByteRangeSet()
  }

  private let url: Location
  private let target: [UInt8]
  /// On stable storage, as the newest synced record says.
  var synced = ByteRangeSet()
  /// By the numbers that the machine gives the mirrors.
  private var sources: [Source]

  /// - Parameters:
  ///   - url: identifies the download.
  ///   - target: the final name, without a directory.
  init(of url: Location, target: [UInt8], mirrors: [Location]) {
    self.url = url
    self.target = target
    sources = mirrors.map { Source(location: $0) }
  }

  /// Further mirrors may supply bytes.
  mutating func join(_ locations: [Location]) { sources += locations.map { Source(location: $0) } }

  /// An earlier run has left a part file.
  ///
  /// - Parameters:
  ///   - done: what counts of an earlier run.
  ///   - mirror: where it came from.
  mutating func resume(synced: ByteRangeSet, done: ByteRangeSet, mirror: Int) {
    self.synced = synced
    sources[mirror].written = done
  }

  /// The mirror's bytes are in the part file.
  mutating func wrote(_ ranges: [Range<Int64>], mirror: Int) {
    for range in ranges { sources[mirror].written.insert(range) }
  }

  /// These bytes are discarded.
  mutating func remove(_ range: Range<Int64>) {
    synced.remove(range)
    for mirror in sources.indices { sources[mirror].written.remove(range) }
  }

  mutating func removeAll() {
    synced = ByteRangeSet()
    for mirror in sources.indices { sources[mirror].written = ByteRangeSet() }
  }

  /// - Parameter written: what the record claims to be in the part file.
  func record(written: ByteRangeSet, _ knowledge: VersionKnowledge) -> SidecarRecord {
    var record = SidecarRecord(
      target: target, url: url, mirrors: sources.map(\.location), bootID: BootID.current, knowledge: knowledge)
    record.synced = synced
    record.written = written
    for (index, source) in sources.enumerated() {
      record.sources += source.written.ranges.map { SidecarRecord.SourcedRange($0, mirror: index) }
    }
    return record
  }
}
