/// The value of the attribute `user.swiftget.verified`: what a finished file was verified against, and when.
///
/// `sha256:HEX SIZE MTIME TIME URLHASH` after the verification of a digest; `whole-transfer:- SIZE MTIME TIME URLHASH`
/// where no digest was known and the confirmed end of the transfer was the only check. SIZE is in bytes. MTIME is
/// `SECONDS.NANOSECONDS` of the finished file. TIME is the second in which the mark was written, by the file system's
/// clock. URLHASH is a hash of the whole original URL in 16 hexadecimal digits. It may be missing in the first form; in
/// the second form `user.xdg.origin.url` may stand in its place, and that attribute then holds the whole URL.
///
/// A mark is invalid if size or modification time differ. Both can be restored after a change, but the change time
/// (ctime) cannot, so a mark is also invalid if the change time is later than the end of a publication that starts when
/// the mark is written. A chmod or a new link therefore costs a hash, but nothing else.
///
/// The placement of the URL is for ext4. An inode of 256 bytes has space for one attribute; another one takes a block,
/// which files with identical blocks share. A mark has at least 64 bytes, so that a URL of at most 56 bytes stays in
/// the inode. The mark then is alone in its block and does not name the URL, so that files of the same size and time
/// share the block if their marks are written in the same second: 20,000 new files take 20 % less time. A longer URL is
/// in the block, too. ext4 finds shareable blocks by a weak hash, which collides for similar URLs; without the hash of
/// the URL in the mark, every file would be compared with thousands of others.
package struct VerifiedMark: Hashable, Sendable {
  /// How the mark identifies the whole URL of the file.
  package enum URLReference: Hashable, Sendable {
    /// `StableHash.fnv1a` of the URL.
    case hash(UInt64)
    /// The attribute `user.xdg.origin.url` holds the whole URL.
    case originURL
  }

  /// The kind of a mark without a digest.
  private static let wholeTransfer = "whole-transfer"
  /// Stands in place of the URL's hash where that attribute holds the whole URL.
  private static let originAttribute = "user.xdg.origin.url"
  /// Bytes of the longest URL that fits into an ext4 inode as the only attribute.
  private static let inodeRoom = 56
  /// The longest time in seconds from writing the mark to the last change of publication (the name). `Publisher` renews
  /// marks in time.
  package static let publicationTime: Int64 = 5

  /// Nil where no digest was known.
  package let digest: ContentDigest?
  package let size: Int64
  package let modified: FileTime
  /// Seconds since 1970 when the mark was written, by the clock of the file's change time.
  package var writtenAt: Int64
  /// Nil only where there is a digest.
  package let url: URLReference?

  package init(digest: ContentDigest?, size: Int64, modified: FileTime, writtenAt: Int64, url: URLReference?) {
    self.digest = digest
    self.size = size
    self.modified = modified
    self.writtenAt = writtenAt
    self.url = url
  }

  /// The mark of a file whose origin URL is also written, if it is not nil.
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

  /// The hash of the URL that the file came from; nil where the mark names none.
  ///
  /// - Parameter originURL: the value of that attribute, used only where `url` is `originURL`.
  package func urlHash(originURL: String?) -> UInt64? {
    switch url {
    case .hash(let hash): hash
    case .originURL: originURL.map { StableHash.fnv1a($0) }
    case nil: nil
    }
  }

  /// Whether the modification time is a server's, and not that of the download: servers tell whole seconds, in the past.
  package var isDated: Bool {
    let (age, overflow) = writtenAt.subtractingReportingOverflow(modified.seconds)
    return modified.nanoseconds == 0 && (overflow || !(0...Self.publicationTime).contains(age))
  }

  /// Whether the file has not changed since it was published with this mark.
  package func isUntouched(size: Int64, modified: FileTime, changed: FileTime) -> Bool {
    names(size: size, modified: modified) && wasPublished(at: changed)
  }

  /// Whether size and modification time are those of the mark.
  package func names(size: Int64, modified: FileTime) -> Bool { self.size == size && self.modified == modified }

  /// Whether the change time is within publication, to the second.
  private func wasPublished(at changed: FileTime) -> Bool {
    let (age, overflow) = changed.seconds.subtractingReportingOverflow(writtenAt)
    return !overflow && (0...Self.publicationTime).contains(age)
  }

  /// The value of the attribute. Bytes and no string, because every file of a list has one.
  package var bytes: [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(160)
    if let digest { text += digest.text.utf8 } else { text += "\(Self.wholeTransfer):-".utf8 }
    text.append(UInt8(ascii: " "))
    text.append(decimal: size)
    text.append(UInt8(ascii: " "))
    modified.append(to: &text)
    text.append(UInt8(ascii: " "))
    text.append(decimal: writtenAt)
    switch url {
    case .hash(let hash): text += " \(StableHash.hexadecimal(hash))".utf8
    case .originURL: text += " \(Self.originAttribute)".utf8
    case nil: break
    }
    return text
  }

  /// Nil for any other form.
  package init?(bytes: [UInt8]) {
    let fields = bytes.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard (4...5).contains(fields.count), let size = Int64(digits: fields[1]), let modified = FileTime(fields[2]),
      let writtenAt = Int64(digits: fields[3]), let colon = fields[0].firstIndex(of: UInt8(ascii: ":"))
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
    return digits.count == 16 ? Hexadecimal.number(digits).map(URLReference.hash) : nil
  }
}
