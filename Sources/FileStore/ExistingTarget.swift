package import DownloadCore
internal import Glibc

/// What stands under a final name before anything is asked or fetched.
package enum ExistingTarget: Equatable, Sendable {
  case absent
  case regular(RegularFile)
  /// Counts as an existing target; what it points at is no matter.
  case symbolicLink
  case directory
  /// Pipe, device or socket: bytes are streamed into it.
  case special

  package struct RegularFile: Equatable, Sendable {
    /// Bytes.
    package let size: Int64
    package let modified: FileTime
    package let changed: FileTime
    /// Permission bits.
    package let mode: UInt32
    /// Our own mark; nil where there is none, where it says nothing, and on a file that is neither ours nor root's,
    /// whose owner may have written what he likes.
    package let verified: VerifiedMark?
    /// Without userinfo and query; nil where the mark can do without it.
    package let originURL: String?
    /// What the server told when the file was fetched; nil where it was not asked for.
    package let entityTag: EntityTag?

    /// Our own mark, if size and times show that the file has not been touched since.
    package var believedMark: VerifiedMark? {
      verified.flatMap { $0.isUntouched(size: size, modified: modified, changed: changed) ? $0 : nil }
    }

    /// Whether the file was verified against this digest and is untouched.
    package func isVouched(for digest: ContentDigest) -> Bool {
      verified?.vouches(for: digest, size: size, modified: modified, changed: changed) ?? false
    }

    /// Whether the file came whole from this URL and is untouched.
    package func isVouched(forURLHash urlHash: UInt64) -> Bool {
      verified?.vouches(
        forURLHash: urlHash, size: size, modified: modified, changed: changed, originURL: originURL) ?? false
    }

    init(_ status: FileStatus, verified: VerifiedMark?, originURL: String?, entityTag: EntityTag? = nil) {
      size = status.size
      modified = status.modified
      changed = status.changed
      mode = status.mode
      self.verified = verified
      self.originURL = originURL
      self.entityTag = entityTag
    }
  }

  /// Looks at one name without following a link and without opening anything but a regular file.
  ///
  /// Two calls where nothing is there to be opened, at most six for a regular file: a list of 100,000 finished entries
  /// is looked through so. A file that may not be read has no mark.
  ///
  /// - Parameter readsEntityTag: whether the recorded entity tag is wanted; one call more.
  package static func inspect(
    _ place: TargetPlace, readsEntityTag: Bool = false
  ) throws(SystemCallError) -> ExistingTarget {
    let directory = place.directory.raw
    let status: FileStatus
    do {
      status = try SystemCalls.fstatat(directory, place.name)
    } catch let error where error.isMissing {
      return .absent
    }
    switch status.kind {
    case .directory: return .directory
    case .symbolicLink: return .symbolicLink
    case .special: return .special
    case .regular: break
    }
    // Between the two calls the name may have come to mean something else; O_NONBLOCK keeps a pipe from waiting, and
    // the mark then fits neither size nor time.
    guard status.owner == SystemCalls.user || status.owner == 0,
      let descriptor = try? SystemCalls.openat(directory, place.name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    else { return .regular(RegularFile(status, verified: nil, originURL: nil)) }
    let mark = FileAttributes.read(.verified, of: descriptor.raw).flatMap(VerifiedMark.init(bytes:))
    let origin = mark?.url == .originURL ? FileAttributes.read(.originURL, of: descriptor.raw) : nil
    let tag = readsEntityTag ? FileAttributes.read(.entityTag, of: descriptor.raw) : nil
    return .regular(
      RegularFile(
        status, verified: mark, originURL: origin.map { String(decoding: $0, as: UTF8.self) },
        entityTag: tag.flatMap { EntityTag(parsing: $0) }))
  }
}

/// A regular file that was there before, open for reading: to be hashed, and marked when found right.
package final class ExistingFile: Sendable {
  private let descriptor: FileDescriptor
  private let directory: DirectoryHandle
  package let status: FileStatus

  /// - Throws: ELOOP for a link, EINVAL for anything else that is no regular file.
  package init(_ place: TargetPlace) throws(SystemCallError) {
    let descriptor = try SystemCalls.openat(
      place.directory.raw, place.name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
    status = try SystemCalls.fstat(descriptor.raw)
    guard status.kind == .regular else { throw SystemCallError(.openat, EINVAL) }
    self.descriptor = descriptor
    directory = place.directory
  }

  /// Reads until the buffer is full or the file ends, and returns how many bytes that were.
  package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SystemCallError) -> Int {
    try SystemCalls.preadAll(descriptor.raw, into: buffer, at: offset)
  }

  /// Puts the file and its name on stable storage: whoever made it may not have done so.
  package func settle() throws(SystemCallError) {
    do {
      try SystemCalls.fsync(descriptor.raw)
      try directory.sync()
    } catch let error where [EINVAL, EROFS, ENOSYS, ENOTSUP].contains(error.errno) {
      // A read-only medium, say: nothing waits to be written.
    }
  }

  /// Notes what the file was found to be, unless anything was done to it since it was opened.
  ///
  /// Only for a file whose every byte has been read through this object, and that is settled: the mark must not outlive
  /// the bytes that it speaks of.
  package func mark(_ attributes: FileAttributes) throws(SystemCallError) {
    let before = try SystemCalls.fstat(descriptor.raw)
    guard before.size == status.size, before.modified == status.modified, before.changed == status.changed else {
      return
    }
    var attributes = attributes
    attributes.originURL = nil
    try attributes.write(to: descriptor.raw, before)
    // Only now does the file system tell what time it is: the change time was an old one.
    let after = try SystemCalls.fstat(descriptor.raw)
    guard after.size == before.size, after.modified == before.modified else { return }
    try attributes.write(to: descriptor.raw, after)
  }
}
