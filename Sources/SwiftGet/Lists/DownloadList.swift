internal import DownloadCore

/// A list of files, in any format that the command `swiftget` reads: URLs, checksums, Metalink, tables, JSON and others.
///
/// The names of its files, and what becomes of entries with one target, are those of the command. An entry that is wrong
/// does not keep the others out. A list that only a URL names is downloaded first, and then read from its file.
public struct DownloadList: Sendable {
  /// How a list is written.
  public enum Format: String, Hashable, Sendable, CaseIterable {
    /// A URL on each line.
    case urls
    /// The input files of aria2: mirrors on a line, options below them.
    case aria2
    /// Lines of checksums and names, such as `SHA256SUMS`.
    case checksums
    /// Metalink 4 or 3.
    case metalink
    /// A table with TAB characters between its columns.
    case tsv
    /// A table with commas or semicolons between its columns.
    case csv
    /// A table with blanks between its columns.
    case fields
    /// A JSON document.
    case json
    /// A JSON object on each line.
    case jsonl
    /// A registry of pooch.
    case pooch
    /// An index of a Debian archive: `Packages`, `Sources`, `Release`, `.dsc` or `.changes`.
    case deb822
    /// A BagIt bag, or its `fetch.txt`.
    case bagit
  }

  /// What a list wants.
  public struct Contents: Sendable {
    /// Its files, in the order of the list.
    public internal(set) var requests: [DownloadRequest] = []
    /// The places of `requests` among all entries, in the same order.
    var places: [Int] = []
    /// Entries that are wrong.
    public internal(set) var failures: [Failure] = []
  }

  /// An entry that is wrong.
  public struct Failure: Sendable {
    /// Its place among the entries, from 0.
    public let index: Int
    /// What is wrong with it, with the line of the list.
    public let error: DownloadError
  }

  enum Source: Sendable {
    case file([UInt8])
    case bytes([UInt8], name: [UInt8])
  }

  let source: Source
  /// Where the files go; nil is the session's directory, and for a bag the bag.
  public var directory: String?
  /// How the list is written; nil finds it out.
  public var format: Format?
  /// Where names and relative references lead, for lists that have no whole URLs.
  public var baseURL: String?
  /// Which columns of a table, or values of JSON records, describe a file, as `--columns` of the command has it:
  /// `url=link,md5=sum` or `url=packages.*.url,sha256=packages.*.sha256`. Nil takes columns with well-known names.
  public var columns: String?
  /// Makes the URL of each row of a table or JSON record: `https://example.org/data/{id}`.
  public var urlTemplate: String?
  /// `https` or `http`, which stands before URLs without a scheme in tables and JSON, and takes the place of `ftp`.
  public var urlScheme: String?
  /// Patterns of fnmatch(3), of which the name of a wanted file matches one; none is all. A pattern without a slash is for
  /// the last component of the name.
  public var includes: [String] = []
  /// Patterns that the name of a wanted file must not match.
  public var excludes: [String] = []
  /// Leading directories of names that are left out, at least 0.
  public var strippedComponents = 0
  /// Whether names that lead below `baseURL` count without their directories, for the URL and for the file: for lists that
  /// were made in directories which the server does not have.
  public var takesBaseNames = false
  /// Names every file: `{host}/{path}/{name}`, or `{id}/{filename}` by columns of a table or values of JSON records, as
  /// `--output-template` of the command has it. Nil takes the names of the list. Not with `strippedComponents`.
  public var nameTemplate: String?
  /// Of a Metalink, files in one of these languages, such as `en`, and those that name none; none is all.
  public var languages: [String] = []
  /// Of a Metalink, files for one of these operating systems, such as `Linux`, and those that name none; none is all.
  public var systems: [String] = []
  /// Countries whose mirrors a Metalink offers first, such as `de`, the preferred one first.
  public var locations: [String] = []
  /// Public keys of minisign, signify or OpenPGP: the paths of their files, or keys of minisign and signify as text. Where
  /// there are any, the list is read only if one of them has signed it.
  public var verificationKeys: [String] = []
  /// The path of the signature; nil looks for it in the list and beside it.
  public var signature: String?
  /// Whether the list may name places outside of `directory`.
  public var allowsAbsolutePaths = false
  /// Changes each request, for example its group.
  public var change: (@Sendable (inout DownloadRequest) -> Void)?

  /// - Parameters:
  ///   - path: of a file, or of the directory of a bag. It may be compressed with gzip, xz or zstd.
  ///   - directory: where the files go; nil is the session's directory, and for a bag the bag.
  public init(contentsOf path: String, into directory: String? = nil) {
    source = .file(Array(path.utf8))
    self.directory = directory
  }

  /// - Parameters:
  ///   - bytes: the text of the list, perhaps compressed.
  ///   - name: for errors; of checksums without an algorithm it may tell which one they have, as in `SHA256SUMS`.
  ///   - directory: where the files go; nil is the session's directory.
  public init(_ bytes: [UInt8], named name: String = "list", into directory: String? = nil) {
    source = .bytes(bytes, name: Array(name.utf8))
    self.directory = directory
  }

  /// Reads the list. What it wants may be changed and added to a session.
  ///
  /// - Returns: the requests, and what is wrong with other entries.
  /// - Throws: `invalidRequest` if there is no such list, or it is none; `localIO` if it cannot be read.
  @concurrent public func contents() async throws(DownloadError) -> Contents { try read(base: nil) }
}
