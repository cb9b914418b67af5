/// A point in a file's own time, as stat(2) has it: seconds since 1970, UTC, and nanoseconds below 1,000,000,000.
package struct FileTime: Hashable, Sendable {
  package let seconds: Int64
  package let nanoseconds: Int32

  package init(seconds: Int64, nanoseconds: Int32 = 0) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  /// `1700000000.000000000`: always nine digits behind the point.
  package var text: String {
    let fraction = String(nanoseconds)
    return "\(seconds)." + String(repeating: "0", count: max(0, 9 - fraction.count)) + fraction
  }

  /// Nil unless it is exactly the form of `text`.
  init?(_ text: ArraySlice<UInt8>) {
    guard let point = text.firstIndex(of: UInt8(ascii: ".")), text.endIndex - point == 10,
      let fraction = decimalValue(of: text[(point + 1)...])
    else { return nil }
    let isNegative = text.first == UInt8(ascii: "-")
    guard let seconds = decimalValue(of: isNegative ? text[..<point].dropFirst() : text[..<point]) else { return nil }
    self.init(seconds: isNegative ? -seconds : seconds, nanoseconds: Int32(truncatingIfNeeded: fraction))
  }
}

/// Nil unless it is one or more decimal digits of a number that fits.
private func decimalValue(of digits: ArraySlice<UInt8>) -> Int64? {
  guard !digits.isEmpty else { return nil }
  var value: Int64 = 0
  for digit in digits {
    guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
    let (scaled, overflow) = value.multipliedReportingOverflow(by: 10)
    let (sum, carry) = scaled.addingReportingOverflow(Int64(digit - UInt8(ascii: "0")))
    if overflow || carry { return nil }
    value = sum
  }
  return value
}

/// The value of the attribute `user.swiftget.verified`: what a finished file was found to be, and when it was touched.
///
/// `sha256:HEX SIZE MTIME TIME URLHASH` where a digest was verified, `whole-transfer:- SIZE MTIME TIME URLHASH` where
/// none was known and the transfer's own end was the proof. SIZE is bytes, MTIME `SECONDS.NANOSECONDS` of the finished
/// file, TIME the second in which the mark was written, by the file system's clock, URLHASH 16 hexadecimal digits of a
/// hash of the whole original URL; the first form may lack it, the second may have `user.xdg.origin.url` in its place:
/// that attribute then holds the whole URL.
///
/// A mark says nothing of a file with another size or modification time. Both can be restored after a change; the
/// change time (ctime) cannot. Hence a mark says nothing either where the change time is later than publication takes,
/// which begins when the mark is written. A chmod or a new link costs a hash, nothing more.
///
/// The rest is for ext4, whose inode of 256 bytes has room for one attribute besides its own fields (attr_ext4.h of
/// the Linux kernel, `EXT4_XATTR_LEN`); the other goes to a block, which files share when the whole of it is the same.
/// No mark of a file younger than 2001 is shorter than 64 bytes, so that it is the URL that stays in the inode if its
/// length allows. The mark then has its block alone and does not name the URL: files of one size and time whose marks
/// are written in one second share theirs, and 20,000 new ones take a fifth less time. A longer URL is in the block
/// too. Blocks are looked up by a weak hash, to which similar URLs are the same: thousands of files would cost as many
/// comparisons each if the URL's hash in the mark did not tell them apart.
package struct VerifiedMark: Hashable, Sendable {
  /// Where the mark says what the file's whole URL is.
  package enum URLReference: Hashable, Sendable {
    /// Its hash; the caller chooses the hash and keeps to it.
    case hash(UInt64)
    /// The attribute `user.xdg.origin.url` is the whole URL.
    case originURL
  }

  /// The kind of a mark without a digest.
  private static let wholeTransfer = "whole-transfer"
  /// What stands for the URL's hash where the URL itself is to be had.
  private static let originAttribute = "user.xdg.origin.url"
  /// Bytes of the longest URL that fits into an ext4 inode beside nothing else.
  private static let inodeRoom = 56
  /// Seconds from the mark to the last change that publication makes (the name); whoever publishes keeps within them.
  package static let publicationTime: Int64 = 5

  /// nil: no digest was known.
  package let digest: ContentDigest?
  package let size: Int64
  package let modified: FileTime
  /// The second in which it was written, since 1970, by the clock that stamps the file's change time.
  package var writtenAt: Int64
  /// nil only where there is a digest.
  package let url: URLReference?

  package init(digest: ContentDigest?, size: Int64, modified: FileTime, writtenAt: Int64, url: URLReference?) {
    self.digest = digest
    self.size = size
    self.modified = modified
    self.writtenAt = writtenAt
    self.url = url
  }

  /// The mark for a file whose origin URL is written as well, if not nil.
  ///
  /// - Parameter urlHash: `StableHash.fnv1a` of the whole original URL.
  package init(
    digest: ContentDigest?, size: Int64, modified: FileTime, writtenAt: Int64, urlHash: UInt64?, originURL: String?
  ) {
    var url = urlHash.map(URLReference.hash)
    if digest == nil, let originURL, originURL.utf8.count <= Self.inodeRoom, StableHash.fnv1a(originURL) == urlHash {
      url = .originURL
    }
    self.init(digest: digest, size: size, modified: modified, writtenAt: writtenAt, url: url)
  }

  /// Whether the file was verified against this digest and has not been touched since.
  ///
  /// A digest of another algorithm is not vouched for: the file is hashed then.
  package func vouches(for digest: ContentDigest, size: Int64, modified: FileTime, changed: FileTime) -> Bool {
    self.digest == digest && isUntouched(size: size, modified: modified, changed: changed)
  }

  /// Whether the file came whole from the URL of this hash and has not been touched since.
  ///
  /// - Parameter originURL: what that attribute says; of use only where `url` leaves it to that.
  package func vouches(
    forURLHash urlHash: UInt64, size: Int64, modified: FileTime, changed: FileTime, originURL: String?
  ) -> Bool {
    guard isUntouched(size: size, modified: modified, changed: changed) else { return false }
    return switch url {
    case .hash(let hash): hash == urlHash
    case .originURL: originURL.map { StableHash.fnv1a($0) } == urlHash
    case nil: false
    }
  }

  /// Whether nothing has been done to the file since it was published with this mark.
  package func isUntouched(size: Int64, modified: FileTime, changed: FileTime) -> Bool {
    names(size: size, modified: modified) && wasPublished(at: changed)
  }

  /// Whether size and modification time are those that the mark names.
  package func names(size: Int64, modified: FileTime) -> Bool { self.size == size && self.modified == modified }

  /// Whether the change time is that of publication, to the second.
  private func wasPublished(at changed: FileTime) -> Bool {
    let (age, overflow) = changed.seconds.subtractingReportingOverflow(writtenAt)
    return !overflow && (0...Self.publicationTime).contains(age)
  }

  package var text: String {
    let fixed = "\(digest?.text ?? "\(Self.wholeTransfer):-") \(size) \(modified.text) \(writtenAt)"
    return switch url {
    case .hash(let hash): fixed + " " + StableHash.hexadecimal(hash)
    case .originURL: fixed + " " + Self.originAttribute
    case nil: fixed
    }
  }

  /// Nil for anything but the forms above.
  package init?(text: String) { self.init(bytes: Array(text.utf8)) }

  /// As `init(text:)`; read once for each of perhaps 100,000 files, so over bytes.
  package init?(bytes: [UInt8]) {
    let fields = bytes.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard (4...5).contains(fields.count), let size = decimalValue(of: fields[1]), let modified = FileTime(fields[2]),
      let writtenAt = decimalValue(of: fields[3]), let colon = fields[0].firstIndex(of: UInt8(ascii: ":"))
    else { return nil }
    var url: URLReference?
    if fields.count == 5 {
      guard let reference = Self.reference(fields[4]) else { return nil }
      url = reference
    }
    let kind = String(decoding: fields[0][..<colon], as: UTF8.self)
    let value = fields[0][(colon + 1)...]
    if kind == Self.wholeTransfer {
      guard value.elementsEqual("-".utf8), url != nil else { return nil }
      self.init(digest: nil, size: size, modified: modified, writtenAt: writtenAt, url: url)
    } else {
      guard let algorithm = DigestAlgorithm(rawValue: kind), let digest = ContentDigest(algorithm, hex: value) else {
        return nil
      }
      self.init(digest: digest, size: size, modified: modified, writtenAt: writtenAt, url: url)
    }
  }

  private static func reference(_ digits: ArraySlice<UInt8>) -> URLReference? {
    if digits.elementsEqual(originAttribute.utf8) { return .originURL }
    guard digits.count == 16 else { return nil }
    var value: UInt64 = 0
    for digit in digits {
      guard let nibble = hexadecimalValue(of: digit) else { return nil }
      value = value << 4 | UInt64(nibble)
    }
    return .hash(value)
  }
}
