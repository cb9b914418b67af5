package import DownloadCore

/// The tag files of a BagIt bag (RFC 8493), and the names that a bag gives its payload.
package struct BagFiles: Hashable, Sendable {
  /// The directory of the payload.
  package static let payload = Array("data".utf8)
  /// The file that makes a directory a bag. It is written last.
  package static let declaration = Array("bagit.txt".utf8)

  package struct TagFile: Hashable, Sendable {
    package let name: [UInt8]
    package let content: [UInt8]
  }

  /// In the order of writing: the declaration is the last one.
  package let tagFiles: [TagFile]

  /// - Parameters:
  ///   - files: names are relative to the payload directory, and UTF-8.
  ///   - date: `2026-01-31`.
  ///   - digest: the digests of some bytes by `algorithms`, in their order.
  package init(
    files: [HashedFile], algorithms: [DigestAlgorithm], date: String, digest: ([UInt8]) -> [ContentDigest]
  ) {
    var texts = algorithms.map { _ in [UInt8]() }
    var byteCount: Int64 = 0
    for file in files {
      byteCount += file.length
      let path = Self.payload + [UInt8(ascii: "/")] + Self.encoded(file.name)
      for (index, digest) in file.digests.enumerated() { Self.append(digest, path, to: &texts[index]) }
    }
    let info = "Bagging-Date: \(date)\nPayload-Oxum: \(byteCount).\(files.count)\n"
    let declaration = TagFile(
      name: Self.declaration, content: Array("BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n".utf8))
    var tagFiles = zip(algorithms, texts).map { TagFile(name: Self.manifest("manifest", $0), content: $1) }
    tagFiles.append(TagFile(name: Array("bag-info.txt".utf8), content: Array(info.utf8)))
    var tagTexts = algorithms.map { _ in [UInt8]() }
    for file in [declaration] + tagFiles {
      for (index, digest) in digest(file.content).enumerated() { Self.append(digest, file.name, to: &tagTexts[index]) }
    }
    tagFiles += zip(algorithms, tagTexts).map { TagFile(name: Self.manifest("tagmanifest", $0), content: $1) }
    self.tagFiles = tagFiles + [declaration]
  }

  /// Section 2.1.3: only LF, CR and the percent sign are encoded.
  static func encoded(_ name: [UInt8]) -> [UInt8] {
    var encoded: [UInt8] = []
    encoded.append(name) { byte in
      switch byte {
      case 0x0a: "%0A"
      case 0x0d: "%0D"
      case UInt8(ascii: "%"): "%25"
      default: nil
      }
    }
    return encoded
  }

  private static func append(_ digest: ContentDigest, _ path: [UInt8], to text: inout [UInt8]) {
    text += digest.hex.utf8
    text += "  ".utf8
    text += path
    text.append(UInt8(ascii: "\n"))
  }

  /// Section 2.4: the algorithm's name in lower case, without punctuation.
  private static func manifest(_ kind: String, _ algorithm: DigestAlgorithm) -> [UInt8] {
    Array("\(kind)-\(algorithm.rawValue.filter { $0 != "-" }).txt".utf8)
  }
}
