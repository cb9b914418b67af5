package import DownloadCore

/// Lines of URL lists, aria2 input files, checksum files, registries of pooch and `fetch.txt`, each below a comment.
package struct FailedLines: FailedListWriter {
  /// A comment that no text behind it can make part of another format, for a list that would be taken for one by its first
  /// comment.
  package static let heading = Array("# What failed\n".utf8)

  package init() {}

  package func text(of entry: FailedEntry, isFirst: Bool) -> [UInt8]? {
    remark(entry.words) + entry.text + [0x0a]
  }

  package func remark(_ words: [UInt8]) -> [UInt8] { Array("# ".utf8) + words + [0x0a] }

  /// The lines of a URL of the command line in an aria2 input file; a single one, as in a URL list, where it has no
  /// mirrors.
  package static func lines(of request: DownloadRequest) -> [UInt8] {
    let urls = request.mirrors.map(URLText.withUserinfo)
    if urls.count == 1 {
      var line = urls[0]
      for (index, digest) in request.digests.enumerated() {
        line += "\(index == 0 ? "#" : "&")\(digest.algorithm.rawValue)=\(digest.hex)".utf8
      }
      return line
    }
    var lines = Array(urls.joined(separator: CollectionOfOne(0x09)))
    for digest in request.digests {
      let name = MetalinkWriter.name(of: digest.algorithm) ?? digest.algorithm.rawValue
      lines += "\n checksum=\(name)=\(digest.hex)".utf8
    }
    return lines
  }

  /// The line of a checksum file that names the algorithm, and whose meaning does not depend on the name of the list; nil
  /// for an entry that is no name with one digest.
  package static func taggedLine(of entry: ManifestEntry) -> [UInt8]? {
    guard let name = entry.name, entry.digests.count == 1 else { return nil }
    var line: [UInt8] = []
    ChecksumListWriter(isTagged: true)
      .append(HashedFile(name: name, length: 0, digests: entry.digests), to: &line)
    return line.dropLast()
  }
}
