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
  package init?(text: Substring) {
    guard let point = text.firstIndex(of: "."), let seconds = Int64(text[..<point]) else { return nil }
    let fraction = text[text.index(after: point)...]
    guard fraction.utf8.count == 9, fraction.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let nanoseconds = Int32(fraction)
    else { return nil }
    self.init(seconds: seconds, nanoseconds: nanoseconds)
  }
}

/// The value of the attribute `user.swiftget.verified`: what a finished file was found to be, and when it was touched.
///
/// `sha256:HEX SIZE MTIME URLHASH` where a digest was verified, `length:- SIZE MTIME URLHASH` where none was known
/// and the transfer's own end was the proof. SIZE is bytes, MTIME `SECONDS.NANOSECONDS` of the finished file, URLHASH
/// 16 hexadecimal digits of a hash of the whole original URL; the first form may lack it. Size or modification time
/// that differ from the file's mean that somebody has touched it: the mark then says nothing.
package struct VerifiedMark: Hashable, Sendable {
  /// nil: no digest was known.
  package let digest: ContentDigest?
  package let size: Int64
  package let modified: FileTime
  /// Of the whole original URL; the caller chooses the hash and keeps to it.
  package let urlHash: UInt64?

  package init(digest: ContentDigest?, size: Int64, modified: FileTime, urlHash: UInt64?) {
    self.digest = digest
    self.size = size
    self.modified = modified
    self.urlHash = urlHash
  }

  /// Whether the file was verified against this digest and has not been touched since.
  ///
  /// A digest of another algorithm is not vouched for: the file is hashed then.
  package func vouches(for digest: ContentDigest, size: Int64, modified: FileTime) -> Bool {
    self.digest == digest && isUntouched(size: size, modified: modified)
  }

  /// Whether the file came whole from this URL and has not been touched since.
  package func vouches(forURLHash urlHash: UInt64, size: Int64, modified: FileTime) -> Bool {
    self.urlHash == urlHash && isUntouched(size: size, modified: modified)
  }

  /// Whether size and modification time are still those of the file that was marked.
  package func isUntouched(size: Int64, modified: FileTime) -> Bool { self.size == size && self.modified == modified }

  package var text: String {
    let fixed = "\(digest?.text ?? "length:-") \(size) \(modified.text)"
    return urlHash.map { fixed + " " + StableHash.hexadecimal($0) } ?? fixed
  }

  /// Nil for anything but the forms above.
  package init?(text: String) {
    let fields = text.split(separator: " ", omittingEmptySubsequences: false)
    guard (3...4).contains(fields.count), let size = Int64(fields[1]), size >= 0,
      let modified = FileTime(text: fields[2])
    else { return nil }
    var urlHash: UInt64?
    if fields.count == 4 {
      guard fields[3].utf8.count == 16, fields[3].utf8.allSatisfy({ hexadecimalValue(of: $0) != nil }) else {
        return nil
      }
      urlHash = UInt64(fields[3], radix: 16)
    }
    if fields[0] == "length:-" {
      guard urlHash != nil else { return nil }
      self.init(digest: nil, size: size, modified: modified, urlHash: urlHash)
    } else {
      guard let digest = ContentDigest(text: String(fields[0])) else { return nil }
      self.init(digest: digest, size: size, modified: modified, urlHash: urlHash)
    }
  }
}
