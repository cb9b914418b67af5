import DownloadCore
import DownloadEngine
import DownloadFiles

/// Tells which files are in the shard of the run, by their names relative to the target directory.
struct ShardFilter {
  private let shard: Shard
  private let digest: DigestComputer
  /// The path of the target directory, with a slash at its end.
  private let directory: [UInt8]

  /// - Parameter directory: the path of the target directory without empty and `.` components.
  init(_ shard: Shard, directory: [UInt8]) throws(Failure) {
    guard Digests.isAvailable(.sha256), let digest = DigestComputer([.sha256]) else {
      throw Failure(.usage, "--shard: cannot compute sha256: OpenSSL has disabled it")
    }
    self.shard = shard
    self.directory = directory + [UInt8(ascii: "/")]
    self.digest = digest
  }

  /// - Parameter place: the path of a target without empty and `.` components. One outside of the target directory is its
  ///   own name.
  func holds(place: [UInt8]) -> Bool {
    holds(name: place.starts(with: directory) ? Array(place.dropFirst(directory.count)) : place)
  }

  func holds(name: [UInt8]) -> Bool { name.withUnsafeBytes(holds) }

  func holds(name: UnsafeRawBufferPointer) -> Bool {
    digest.update(name)
    // A file that all shards download is better than one that none does.
    return digest.finish().first.map { shard.holds(digest: $0.bytes) } ?? true
  }
}
