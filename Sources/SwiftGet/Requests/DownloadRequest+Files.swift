package import DownloadCore
internal import DownloadListWriting

extension DownloadRequest {
  /// - Parameters:
  ///   - file: of a list.
  ///   - directory: that of the list; nil is the session's.
  ///   - mayLeave: whether the list may name places outside of it.
  /// - Throws: `invalidRequest` for a place outside of the directory.
  package init(_ file: FileRequest, in directory: [UInt8]?, mayLeave: Bool) throws(DownloadError) {
    self.init("")
    urls = file.mirrors.map { String(decoding: URLText.withUserinfo($0), as: UTF8.self) }
    checksums = file.digests.map { FileChecksum($0) }
    expectedSize = file.expectedLength
    headers = file.headers.map { HeaderField(line: $0) }
    self.directory = directory.map { String(decoding: $0, as: UTF8.self) }
    var name = file.target.name
    if case .path(let path) = file.target {
      guard mayLeave else {
        throw DownloadError(
          .invalidRequest, "\(file.source.map { "\($0.text): " } ?? "")the list names a place outside of the directory")
      }
      let slash = UInt8(ascii: "/")
      // A relative one begins at the directory.
      let place = path.first == slash ? path : (directory.map { $0 + [slash] } ?? []) + path
      let start = place.lastIndex(of: slash).map { $0 + 1 } ?? 0
      self.directory = String(decoding: place[..<start], as: UTF8.self)
      name = Array(place[start...])
    }
    if file.isNamedByAnswer {
      // What stands before the name is known.
      let slash = UInt8(ascii: "/")
      if let end = name.lastIndex(of: slash) {
        self.directory = String(decoding: (directory.map { $0 + [slash] } ?? []) + name[..<end], as: UTF8.self)
      }
      listed = ListedFacts(pieces: file.pieces, isUntrusted: !file.isNamedByUser)
    } else {
      self.name = String(decoding: name, as: UTF8.self)
      listed = ListedFacts(name: name, pieces: file.pieces, isUntrusted: !file.isNamedByUser)
    }
  }
}

extension HeaderField {
  /// - Parameter line: `Name: value`, or `Name;` for an empty value.
  package init(line: String) {
    let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    if parts.count == 2 {
      self.init(String(parts[0]), String(parts[1].drop { $0 == " " || $0 == "\t" }))
    } else {
      self.init(String(line.prefix { $0 != ";" }), "")
    }
  }
}
