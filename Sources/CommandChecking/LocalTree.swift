package import DownloadCore
package import DownloadEngine
package import DownloadFiles
internal import DownloadHashing
package import DownloadListWriting
package import DownloadScratch

/// What is below a directory and is not listed.
package typealias LeftOutFile = FileTree.LeftOut

/// The files below a directory, hashed for a manifest.
package struct LocalTree {
  /// A file of the manifest.
  package struct File: Hashable, Sendable {
    /// The name in the manifest.
    package let name: [UInt8]
    /// Where it is below the directory, where that is not its name.
    let path: [UInt8]
    /// Bytes.
    let length: Int64
  }

  let directory: TargetDirectory
  /// The user's path of the directory.
  let root: [UInt8]
  /// Sorted by their names' bytes.
  package internal(set) var files: [File] = []
  package internal(set) var leftOut: [LeftOutFile] = []

  /// Opens the directory, without looking at its files.
  package init(unread root: [UInt8]) throws(FileFailure) {
    self.root = root
    do { directory = try TargetDirectory.open(path: root, creating: false) } catch { throw FileFailure(error) }
  }

  /// - Parameter output: the path of the manifest, which does not count; nil for standard output, which does not count
  ///   either if it is a file.
  package init(_ root: [UInt8], output: [UInt8]?) throws(FileFailure) {
    try self.init(unread: root)
    var exclusion: FileTree.Exclusion?
    if let output {
      let (parent, name) = WholeFile.split(output)
      if let opened = try? TargetDirectory.open(path: parent, creating: false),
        let status = try? SystemCalls.fstat(opened.base.raw)
      {
        exclusion = .name(name, in: status)
      }
    } else if let status = try? SystemCalls.fstat(1), status.kind == .regular {
      exclusion = .file(status)
    }
    let tree: FileTree
    do { tree = try FileTree(directory.base, excluding: exclusion) } catch { throw FileFailure(error, in: root) }
    files = tree.files.map { File(name: $0.name, path: $0.name, length: $0.length) }
    leftOut = tree.leftOut
  }

  /// Hashes all files on all cores, the largest ones first, so that no thread is left with one at the end.
  ///
  /// - Parameter hasPieces: whether large files are hashed in pieces, too, by the first algorithm.
  /// - Returns: in the order of `files`; nil if a signal that ends the run came first.
  /// - Throws: the first file that cannot be hashed.
  package func hashed(
    _ algorithms: [DigestAlgorithm], hasPieces: Bool, hearing signals: SignalWatch
  ) throws(FileFailure) -> [HashedFile]? {
    if files.isEmpty { return [] }
    let pool = try HashPool(directory: directory)
    defer { if signals.ending == nil { pool.end() } }
    for index in files.indices.sorted(by: { files[$0].length > files[$1].length }) {
      let pieceLength = hasPieces ? PieceLength.of(fileLength: files[index].length) : nil
      pool.submit(
        HashJob(
          number: index, target: .listed(files[index].path.split(separator: UInt8(ascii: "/")).map(Array.init)),
          algorithms: algorithms,
          pieces: pieceLength.map { HashJob.Pieces(algorithm: algorithms[0], length: $0) }))
    }
    var hashed = files.map { HashedFile(name: $0.name, length: 0, digests: []) }
    var missing = files.count
    while missing > 0 {
      guard let outcomes = pool.collect(hearing: signals) else { return nil }
      for outcome in outcomes {
        let file = files[outcome.number]
        let content: HashedContent
        do { content = try outcome.result.get() } catch { throw FileFailure(file.name, error) }
        // The length of its pieces was chosen by the listed one.
        guard content.length == file.length else { throw FileFailure(file.name, .changed) }
        hashed[outcome.number].length = content.length
        hashed[outcome.number].digests = content.digests
        hashed[outcome.number].pieces = PieceLength.of(fileLength: file.length).flatMap {
          PieceHashes(length: $0, digests: content.pieces)
        }
        missing -= 1
      }
    }
    return hashed
  }
}
