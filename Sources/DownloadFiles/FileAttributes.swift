internal import CSwiftGetShims
package import DownloadCore
internal import Glibc

/// What is recorded in the extended attributes of a finished file.
package struct FileAttributes: Hashable, Sendable {
  /// Without userinfo and query; nil writes none.
  package var originURL: String?
  /// The digest that was verified.
  package var digest: VerifiedDigest?
  /// The strong entity tag of the answer; nil writes none.
  package var entityTag: EntityTag?
  /// `StableHash.fnv1a` of the whole original URL, for `VerifiedMark`.
  package var urlHash: UInt64?

  package init(
    originURL: String? = nil, digest: VerifiedDigest? = nil, urlHash: UInt64? = nil, entityTag: EntityTag? = nil
  ) {
    self.originURL = originURL
    self.digest = digest
    self.entityTag = entityTag
    self.urlHash = urlHash
  }

  /// Sets the modification time and, if `marks` is true, writes the attributes.
  ///
  /// The mark holds the time as the file system stores it, which may be coarser than the time requested. An attribute
  /// that cannot be written is skipped: the next run hashes the file or asks the server.
  ///
  /// - Returns: the mark; renew it where publication takes long.
  @discardableResult
  func apply(to descriptor: Int32, modified: FileTime?, marks: Bool) throws(SystemCallError) -> FreshMark? {
    do {
      try SystemCalls.futimens(descriptor, modified: modified)
    } catch let error where Self.isRefusal(error) {
      // Some FUSE and network file systems cannot set times. The content is not affected.
    }
    guard marks, originURL != nil || digest != nil || urlHash != nil else { return nil }
    // The file has just been changed, so its change time is the current time of the file system's clock.
    let status = try SystemCalls.fstat(descriptor)
    return try write(to: descriptor, status)
  }

  /// Writes the attributes of a file whose change time is the current time. Stops without an error at an attribute that
  /// the file system refuses.
  ///
  /// - Returns: the mark; nil where none was requested.
  @discardableResult
  func write(to descriptor: Int32, _ status: FileStatus) throws(SystemCallError) -> FreshMark? {
    var fresh = mark(status).map { FreshMark($0, inode: status.inode, urlHash: urlHash) }
    do {
      let digest = digest?.digest
      // The mark comes first: where space for attributes is short, it saves the most work.
      try fresh?.write(to: descriptor)
      if let digest, digest.algorithm == .sha256 {
        try SystemCalls.fsetxattr(descriptor, .shatagDigest, Array(digest.hex.utf8))
        try SystemCalls.fsetxattr(descriptor, .shatagTime, Array(String(status.modified.seconds).utf8))
      }
      if let entityTag { try SystemCalls.fsetxattr(descriptor, .entityTag, entityTag.bytes) }
      if let originURL { try SystemCalls.fsetxattr(descriptor, .originURL, Array(originURL.utf8)) }
    } catch let error where Self.isRefusal(error) {
      return fresh
    }
    return fresh
  }

  private func mark(_ status: FileStatus) -> VerifiedMark? {
    guard digest != nil || urlHash != nil else { return nil }
    return VerifiedMark(
      digest: digest?.digest, size: status.size, modified: status.modified, writtenAt: status.changed.seconds,
      urlHash: urlHash, originURL: originURL)
  }

  /// What an index may remember of a verified file that takes no mark, and that nothing of ours has changed.
  func unmarked(_ status: FileStatus) -> FinishedFile? {
    guard var mark = mark(status) else { return nil }
    // As if its publication had ended with the last change: a later change is none that publication has made.
    mark.writtenAt = status.changed.seconds - VerifiedMark.publicationTime
    return FinishedFile(inode: status.inode, mark: mark, urlHash: urlHash, isMarked: false)
  }

  /// Whether the error means that the file system does not take the attribute; any other error is a failing disk.
  private static func isRefusal(_ error: SystemCallError) -> Bool {
    switch error.errno {
    case ENOTSUP, ENOSYS, EPERM, EACCES, ENOSPC, EDQUOT, E2BIG, ERANGE, EINVAL: true
    default: false
    }
  }

  /// ext4 has at most one block of 4 KiB for all attributes of a file.
  private static let largestValueByteCount = 4096

  /// The value of an attribute; nil where there is none, where the file system has no attributes, and where the value
  /// is too long to be ours.
  static func read(_ name: AttributeName, of descriptor: Int32) -> [UInt8]? {
    try? value { (buffer) throws(SystemCallError) in try SystemCalls.fgetxattr(descriptor, name, into: buffer) }
  }

  /// The value of an attribute of the file with this name, with the errors of getxattrat.
  static func read(_ name: AttributeName, of place: TargetPlace) throws(SystemCallError) -> [UInt8] {
    try value { (buffer) throws(SystemCallError) in
      try SystemCalls.getxattrat(place.directory.raw, place.name, name, into: buffer)
    }
  }

  /// - Parameter body: writes the value into the buffer and returns its length.
  private static func value(
    _ body: (UnsafeMutableRawBufferPointer) throws(SystemCallError) -> Int
  ) throws(SystemCallError) -> [UInt8] {
    try withUnsafeTemporaryAllocation(byteCount: largestValueByteCount, alignment: 1) {
      (buffer) throws(SystemCallError) in
      let count = try body(buffer)
      return Array(buffer[..<count])
    }
  }
}

/// The mark of a file that does not have its final name yet.
///
/// A mark is valid only if the final name follows within `VerifiedMark.publicationTime`. Where the sync takes longer,
/// the mark is written again after it. A power cut may then bring the old mark back, which costs the next run one hash.
struct FreshMark: Sendable {
  /// Milliseconds after which the mark is written again, early enough for the name to follow in time.
  static let patience: Int64 = 2000

  private let mark: VerifiedMark
  private let inode: UInt64
  private let urlHash: UInt64?
  private let writtenAt = shim_boottime()
  /// Whether the file has it as an attribute.
  private(set) var isWritten = false

  /// - Parameter urlHash: of the URL that the mark may refer to.
  init(_ mark: VerifiedMark, inode: UInt64, urlHash: UInt64?) {
    self.mark = mark
    self.inode = inode
    self.urlHash = urlHash
  }

  mutating func write(to descriptor: Int32) throws(SystemCallError) {
    try SystemCalls.fsetxattr(descriptor, .verified, mark.bytes)
    isWritten = true
  }

  /// What an index may remember of the file if it gets its name now.
  var finished: FinishedFile { FinishedFile(inode: inode, mark: mark, urlHash: urlHash, isMarked: isWritten) }

  /// Writes the mark again with the current second if it is older than `patience` milliseconds. Call it when the
  /// content is on stable storage, right before the file gets its name.
  ///
  /// - Returns: what an index may remember of the file when it has its name.
  @discardableResult
  func renew(on descriptor: Int32, patience: Int64) -> FinishedFile {
    let age = (shim_boottime() - writtenAt) / 1_000_000
    guard age >= patience else { return finished }
    var renewed = mark
    // In the time of the file system's clock, which may differ from ours.
    renewed.writtenAt = mark.writtenAt + age / 1000
    // An old mark costs the next run a hash and is no reason to fail.
    if isWritten { try? SystemCalls.fsetxattr(descriptor, .verified, renewed.bytes) }
    return FinishedFile(inode: inode, mark: renewed, urlHash: urlHash, isMarked: isWritten)
  }
}
