/// Names of files whose bytes are those of a content coding.
enum ContentCoding {
  /// Whether files of a coding end as this name does, so that the coded bytes are what the name promises.
  ///
  /// - Parameters:
  ///   - codings: of the answer, in lower case, with commas between them. The last one is the outermost.
  ///   - name: of the file, with or without directories.
  static func isUsual(_ codings: String, for name: [UInt8]) -> Bool {
    let outermost = codings.split(separator: ",").last.map { $0.drop { $0 == " " } } ?? ""
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")) else { return false }
    return endings(outermost).contains(name[(dot + 1)...].loweredPrintable)
  }

  private static func endings(_ coding: Substring) -> Set<String> {
    switch coding {
    case "gzip", "x-gzip": ["gz", "gzip", "tgz", "bgz", "svgz"]
    case "br": ["br"]
    case "zstd": ["zst", "zstd", "tzst"]
    case "compress", "x-compress": ["z"]
    default: []
    }
  }
}
