internal import DownloadCore
internal import DownloadEngine
internal import DownloadFiles
internal import DownloadScratch

/// Tells which files are in the shard of the run, by their names relative to the target directory.
struct ShardFilter {
  /// Nil where all files are wanted.
  private let chosen: (shard: Shard, digest: DigestComputer)?
  private let paths: TargetPaths
  /// The path of the target directory, with a slash at its end.
  private let directory: [UInt8]

  init(_ shard: Shard?, _ paths: TargetPaths) throws(Failure) {
    self.paths = paths
    directory = AbsolutePath.cleaned(paths.directory) + [UInt8(ascii: "/")]
    guard let shard else {
      chosen = nil
      return
    }
    guard Digests.isAvailable(.sha256), let digest = DigestComputer([.sha256]) else {
      throw Failure(.usage, words: "\(.shard): cannot compute sha256: OpenSSL has disabled it")
    }
    chosen = (shard, digest)
  }

  /// Whether it contains all files.
  var containsAll: Bool { chosen == nil }

  /// A target outside of the directory is its own name, and a request that the server names has that of its URL.
  func contains(_ request: FileRequest) -> Bool {
    if containsAll { return true }
    if request.isNamedByAnswer { return contains(Array(request.mirrors[0].location.text.utf8)) }
    let path = paths.path(of: request)
    return contains(path.starts(with: directory) ? Array(path.dropFirst(directory.count)) : path)
  }

  func contains(_ entry: PlainEntry) -> Bool { contains(entry.name) }

  private func contains(_ name: [UInt8]) -> Bool { name.withUnsafeBytes { contains($0) } }

  private func contains(_ name: UnsafeRawBufferPointer) -> Bool {
    guard let (shard, digest) = chosen else { return true }
    digest.update(name)
    // A file that all shards download is better than one that none does.
    return digest.finish().first.map { shard.contains(digest: $0.bytes) } ?? true
  }
}
