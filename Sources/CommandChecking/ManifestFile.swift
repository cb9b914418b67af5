package import DownloadCore
internal import DownloadFiles
package import DownloadListWriting
package import DownloadScratch

extension ManifestWriter {
  /// Makes the whole text, in parts of a bounded size.
  package mutating func write<Fault: Error>(
    _ files: [HashedFile], to write: ([UInt8]) throws(Fault) -> Void
  ) throws(Fault) {
    var text = beginning
    for file in files {
      append(file, to: &text)
      if text.count >= 64 << 10 {
        try write(text)
        text.removeAll(keepingCapacity: true)
      }
    }
    try write(text + end)
  }
}

/// The file of a manifest.
package enum ManifestFile {
  /// Writes the manifest; its name has the old content or the whole new one.
  ///
  /// - Throws: also where something else than a regular file, such as a pipe or a device, has the name.
  package static func replace(
    _ path: [UInt8], _ writer: some ManifestWriter, _ files: [HashedFile], syncs: Bool
  ) throws(FileFailure) {
    try ReplaceableFile.require(path)
    var writer = writer
    do throws(SystemCallError) {
      try WholeFile.replace(path, durability: syncs ? .contentAndName : .none) { (write) throws(SystemCallError) in
        try writer.write(files, to: write)
      }
    } catch {
      throw FileFailure(path, .failed(.write, errno: error.errno))
    }
  }

  /// The digests of bytes in memory, in the order of the algorithms.
  package static func digests(of bytes: [UInt8], _ algorithms: [DigestAlgorithm]) -> [ContentDigest] {
    guard let computer = DigestComputer(algorithms) else { return [] }
    bytes.withUnsafeBytes { computer.update($0) }
    return computer.finish()
  }
}
