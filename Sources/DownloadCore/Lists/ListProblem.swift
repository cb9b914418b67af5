/// Why a line of a list, or the fragment of a URL, cannot be understood. `DownloadWords` makes the words.
///
/// Texts are the list's raw bytes and may hold secrets.
package enum ListProblem: Error, Hashable, Sendable {
  // MARK: Any line

  /// Longer than `LineSplitter.maximumLineByteCount`.
  case lineTooLong
  case nulByte
  case controlCharacter
  /// The list is UTF-16 text where UTF-8 is expected.
  case utf16
  /// The list begins like UTF-16 text and is none.
  case malformedUTF16

  /// It is no list, but has URLs or checksums.
  case foreign(ForeignText)

  // MARK: URL lists

  case notURL([UInt8])
  /// Two URLs on one line with a blank between them.
  case blankBetweenURLs
  /// Something that is no digest stands behind a digest that stands behind a URL.
  case textAfterDigest
  /// The list looks like HTML or XML.
  case markup
  /// A checksum line where a URL is expected.
  case checksumLine
  /// An indented line that is neither a URL nor an option.
  case strayLine
  case optionBeforeURL
  /// The option's name, in lower case; nil for what does not look like a name and may be a secret.
  case unknownOption(String?)
  case emptyOption(String)
  /// The option that one entry has with two values, and the line of the first one.
  case repeatedOption(String, line: Int)
  /// A header that is not of the form `Name: value`.
  case malformedHeader
  /// `referer=*`, with which aria2 sends the URL of each request.
  case refererOfItself
  /// The value of a `checksum=` option that begins with no known algorithm.
  case unnamedChecksum([UInt8])

  // MARK: Checksum lists

  /// Nil for an indented line, which may be an option of another format, with a password.
  case notChecksumLine([UInt8]?)
  /// No known algorithm has digests of so many hexadecimal digits.
  case unknownDigestLength(Int)
  case unknownAlgorithm([UInt8])
  /// It has the right length.
  case digestNotHexadecimal(DigestAlgorithm)
  /// An escaped name with an escape that is none of coreutils'.
  case unknownEscape([UInt8])
  /// An escaped name that ends with a backslash.
  case unfinishedEscape([UInt8])
  case missingName
  /// Not of the form `NAME HASH [URL]`.
  case notRegistryLine
  /// A line of an index of a Debian archive that is no field, or lists no file where it should.
  case notControlLine
  /// A field of a stanza that names its file or directory, for the second time.
  case repeatedField
  /// A detached PGP signature.
  case signature
  /// The list ends before the end of its PGP signature.
  case unfinishedSignature

  // MARK: Digests

  case malformedDigest(DigestAlgorithm)
  /// A malformed digest in the fragment of a URL.
  case malformedFragment(DigestAlgorithm)
  /// Two different digests of one algorithm for one file.
  case contradictoryDigests(DigestAlgorithm)
  /// Two different sizes of one file, in bytes.
  case contradictorySizes(Int64, Int64)

  // MARK: Tables

  case table(TableProblem)

  // MARK: JSON

  case json(JSONProblem)

  // MARK: Bags

  case bag(BagProblem)

  // MARK: Metalink

  case metalink(MetalinkProblem)
}
