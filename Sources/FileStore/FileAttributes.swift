internal import CShims
package import DownloadCore
internal import Glibc

/// The extended attributes swiftget writes and reads.
package enum AttributeName: String, CaseIterable, Sendable {
  /// Where the file came from, without userinfo and query (freedesktop.org).
  case originURL = "user.xdg.origin.url"
  /// The strong entity tag of the answer that brought the file, as in a header. Written by `--timestamping` only.
  case entityTag = "user.swiftget.etag"
  /// A `VerifiedMark`.
  case verified = "user.swiftget.verified"
  /// Hexadecimal SHA-256, as `shatag` and `cshatag` keep it.
  case shatagDigest = "user.shatag.sha256"
  /// The modification time that `shatagDigest` belongs to, whole seconds.
  case shatagTime = "user.shatag.ts"
}

/// What a finished file is to say of itself.
package struct FileAttributes: Hashable, Sendable {
  /// Without userinfo and query; nil writes none.
  package var originURL: String?
  /// The digest that was verified.
  package var digest: VerifiedDigest?
  /// The strong entity tag that the server told; nil writes none.
  package var entityTag: EntityTag?
  /// Of the whole original URL, for `VerifiedMark`.
  package var urlHash: UInt64?

  package init(
    originURL: String? = nil, digest: VerifiedDigest? = nil, urlHash: UInt64? = nil, entityTag: EntityTag? = nil
  ) {
    self.originURL = originURL
    self.digest = digest
    self.entityTag = entityTag
    self.urlHash = urlHash
  }

  /// Sets the modification time, and unless `marks` is false writes the attributes.
  ///
  /// The mark holds the time as the file system keeps it, which may be coarser than what was asked. An attribute that
  /// cannot be written is none: the next run hashes the file or asks the server.
  ///
  /// - Returns: the mark that was written, which must be renewed where publication takes long.
  @discardableResult
  func apply(to descriptor: Int32, modified: FileTime?, marks: Bool) throws(SystemCallError) -> FreshMark? {
    do {
      try SystemCalls.futimens(descriptor, modified: modified)
    } catch let error where Self.isRefusal(error) {
      // A file system without settable times (some FUSE and network ones); the content is none the worse.
    }
    guard marks, originURL != nil || digest != nil || urlHash != nil else { return nil }
    // The change time is now, for the file has just been changed.
    let status = try SystemCalls.fstat(descriptor)
    return try write(to: descriptor, status)
  }

  /// Writes the attributes for a file of this size and time, the change time being now.
  ///
  /// - Returns: the mark; nil where none was wanted or can be kept. An unsupported attribute ends it quietly.
  @discardableResult
  func write(to descriptor: Int32, _ status: FileStatus) throws(SystemCallError) -> FreshMark? {
    var written: FreshMark?
    do {
      let digest = digest?.digest
      // The mark first: where room is short it is the one that saves work.
      if let mark = mark(status) {
        try SystemCalls.fsetxattr(descriptor, .verified, Array(mark.text.utf8))
        written = FreshMark(mark)
      }
      if let digest, digest.algorithm == .sha256 {
        try SystemCalls.fsetxattr(descriptor, .shatagDigest, Array(digest.hex.utf8))
        try SystemCalls.fsetxattr(descriptor, .shatagTime, Array(String(status.modified.seconds).utf8))
      }
      if let entityTag { try SystemCalls.fsetxattr(descriptor, .entityTag, entityTag.bytes) }
      if let originURL { try SystemCalls.fsetxattr(descriptor, .originURL, Array(originURL.utf8)) }
    } catch let error where Self.isRefusal(error) {
      return written
    }
    return written
  }

  private func mark(_ status: FileStatus) -> VerifiedMark? {
    guard digest != nil || urlHash != nil else { return nil }
    return VerifiedMark(
      digest: digest?.digest, size: status.size, modified: status.modified, writtenAt: status.changed.seconds,
      urlHash: urlHash, originURL: originURL)
  }

  /// Whether the error means that attributes are not to be had here, rather than that the disk is failing.
  private static func isRefusal(_ error: SystemCallError) -> Bool {
    switch error.errno {
    case ENOTSUP, ENOSYS, EPERM, EACCES, ENOSPC, EDQUOT, E2BIG, ERANGE, EINVAL: true
    default: false
    }
  }

  /// The value of an attribute; nil where there is none, where it is too long to be ours, and where there cannot be any.
  static func read(_ name: AttributeName, of descriptor: Int32) -> [UInt8]? {
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
      guard let count = try? SystemCalls.fgetxattr(descriptor, name, into: buffer) else { return nil }
      return Array(buffer[..<count])
    }
  }
}

/// A mark on a file that is not published yet.
///
/// It is believed only where the name follows within a few seconds. Where the disk takes longer it is written again,
/// after the sync, which loses nothing: what a power cut may bring back is the old mark, and that costs a hash.
struct FreshMark: Sendable {
  /// Milliseconds after which it is written again: early enough for the name to follow in time.
  static let patience: Int64 = 2000

  private let mark: VerifiedMark
  private let writtenAt = file_elapsed_milliseconds()

  init(_ mark: VerifiedMark) { self.mark = mark }

  /// Writes the mark again with the present second where it has become old; to be called right before the file gets its
  /// name, with its content on stable storage.
  func renew(on descriptor: Int32, patience: Int64) {
    let age = file_elapsed_milliseconds() - writtenAt
    guard age >= patience else { return }
    var renewed = mark
    // By the clock of the file system, which need not be ours.
    renewed.writtenAt = mark.writtenAt + age / 1000
    // An old mark costs the next run a hash; it is no reason to fail.
    try? SystemCalls.fsetxattr(descriptor, .verified, Array(renewed.text.utf8))
  }
}
