/// What the names in a table's header mean, in any case, with blanks or hyphens in place of underscores.
struct KnownColumns: Sendable {
  /// Names for URLs. Of several in one header the first of this list counts, as with the other roles.
  private static let urls = [
    "url", "uri", "download_url", "downloadurl", "file_url", "fileurl", "download_link", "file_link", "download_uri",
    "file_uri", "link", "href",
  ]
  private static let names = ["out", "filename", "file_name", "path", "file_path", "filepath", "name"]
  private static let sizes = ["size", "bytes", "filesize", "file_size", "size_bytes", "size_in_bytes"]
  private static let mirrors: Set<String> = ["mirror", "mirrors", "mirror_url"]
  private static let namedDigests: Set<String> = ["checksum", "digest", "hash"]
  private static let digestEndings = [
    "-checksum", "checksum", "-sum", "sum", "-hash", "hash", "-digest", "digest", "-base64", "-b64",
    "-hex",
  ]
  /// Groups of columns in file reports of the European Nucleotide Archive.
  private static let fileReportGroups = ["fastq", "submitted", "sra", "bam"]

  /// Names in headers of other tables, which say nothing about files.
  private static let others: Set<String> = [
    "id", "ids", "file", "files", "file_id", "uuid", "accession", "run", "sample", "sample_id", "key", "object",
    "object_id",
    "title", "label", "type", "format", "version", "date", "description", "state", "status", "error",
  ]

  private let folded: [String]

  /// - Parameter header: the names as written.
  init(_ header: [[UInt8]]) { folded = header.map(Self.folded) }

  private static func folded(_ name: [UInt8]) -> String {
    let trimmed = name[...].trimmed
    return String(decoding: trimmed.prefix(64).map { $0 == 0x20 || $0 == 0x2d ? 0x5f : $0.lowercased }, as: UTF8.self)
  }

  /// Whether the header is that of a table of files.
  var isTable: Bool { folded == ["url"] || folded.count > 1 && (url != nil || runPath != nil || isFileReport || isGDC) }

  /// Whether a column has a name that is known from headers.
  var hasName: Bool { folded.contains(where: Self.isKnown) || isFileReport }

  /// Whether the text of a field is a name that is known from headers.
  func isName(_ field: ArraySlice<UInt8>) -> Bool { Self.isKnown(Self.folded(Array(field))) }

  private static func isKnown(_ name: String) -> Bool {
    urls.contains(name) || names.contains(name) || sizes.contains(name) || mirrors.contains(name)
      || namedDigests.contains(name) || others.contains(name) || algorithm(name) != nil
  }

  private func index(_ name: String) -> Int? { folded.firstIndex(of: name) }

  private func first(of names: [String]) -> Int? {
    for name in names { if let index = index(name) { return index } }
    return nil
  }

  /// Whether another column has the same name as this one.
  func isAmbiguous(_ index: Int) -> Bool { folded.count { $0 == folded[index] } > 1 }

  var url: Int? { first(of: Self.urls) }
  var out: Int? { first(of: Self.names) }
  var size: Int? { first(of: Self.sizes) }
  var mirrors: [Int] { folded.indices.filter { Self.mirrors.contains(folded[$0]) } }
  var namedDigests: [Int] { folded.indices.filter { Self.namedDigests.contains(folded[$0]) } }

  /// Columns such as `md5`, `SHA-256`, `sha256sum` and `sha1_checksum`.
  var digests: [(algorithm: DigestAlgorithm, index: Int)] {
    folded.indices.compactMap { index in
      Self.algorithm(folded[index]).map { ($0, index) }
    }
  }

  private static func algorithm(_ folded: String) -> DigestAlgorithm? {
    // Usual names have hyphens: SHA-256.
    let name = String(folded.map { $0 == "_" ? "-" : $0 })
    if let algorithm = DigestAlgorithm(name: name) { return algorithm }
    // A header field of that name has its digest in base64.
    if name.hasPrefix("content-"), let algorithm = DigestAlgorithm(name: name.dropFirst("content-".count)) {
      return algorithm
    }
    for ending in digestEndings where name.hasSuffix(ending) {
      if let algorithm = DigestAlgorithm(name: name.dropLast(ending.count)) { return algorithm }
    }
    return nil
  }

  // MARK: Tables of archives

  /// The URL in a run table of the Sequence Read Archive; empty for runs that are not public.
  var runPath: Int? { index("run") == nil ? nil : index("download_path") }

  /// `id filename md5 size state`, a manifest of the Genomic Data Commons.
  var isGDC: Bool { ["id", "filename", "md5", "size"].allSatisfy { index($0) != nil } }

  /// Whether there is a column of addresses of ENA, be they for Aspera only.
  var isFileReport: Bool {
    Self.fileReportGroups.contains { index($0 + "_ftp") != nil || index($0 + "_aspera") != nil }
  }

  /// The columns of a file report's groups: parallel lists of addresses, MD5 digests and sizes.
  var fileReportColumns: [(urls: Int, digests: Int?, sizes: Int?)] {
    Self.fileReportGroups.compactMap { group in
      index(group + "_ftp").map { ($0, index(group + "_md5"), index(group + "_bytes")) }
    }
  }

  /// Whether the column holds lists of addresses.
  func isFileReportList(_ index: Int) -> Bool { Self.fileReportGroups.contains { folded[index] == $0 + "_ftp" } }
}
