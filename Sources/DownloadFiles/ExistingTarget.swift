package import DownloadCore
internal import Glibc

/// What has a target's name before the download starts.
package enum ExistingTarget: Equatable, Sendable {
  case absent
  case regular(RegularFile)
  /// Counts as an existing target, wherever it points.
  case symbolicLink
  /// A link to something that is neither a file nor a directory. Nothing may take its place.
  case specialLink
  case directory
  /// Pipe, device or socket. The content is streamed into it.
  case special

  package struct RegularFile: Equatable, Sendable {
    /// Bytes.
    package let size: Int64
    package let modified: FileTime
    package let changed: FileTime
    package let inode: UInt64
    /// The parsed mark; nil where there is none or it is malformed, and on a file that belongs to neither us nor root,
    /// because its owner could have written it.
    package let verified: VerifiedMark?
    /// Without userinfo and query. Read only where the mark refers to it.
    package let originURL: String?
    /// The entity tag recorded with the file. Read only on request.
    package let entityTag: EntityTag?
    /// The record from which the mark is, if it is not from an attribute.
    package let noted: FinishedFile?

    /// The mark, if size and times show that the file is untouched since.
    package var believedMark: VerifiedMark? {
      verified.flatMap { $0.isUntouched(size: size, modified: modified, changed: changed) ? $0 : nil }
    }

    /// The hash of the URL that the mark names, be it believed or not; nil where it names none.
    package var markedURLHash: UInt64? { verified?.urlHash(originURL: originURL) }

    /// What an index remembers of the file; nil where it has no mark that is believed.
    package var finished: FinishedFile? {
      noted ?? believedMark.map { FinishedFile(inode: inode, mark: $0, urlHash: markedURLHash, isMarked: true) }
    }

    init(
      _ status: FileStatus, verified: VerifiedMark?, originURL: String?, entityTag: EntityTag? = nil,
      noted: FinishedFile? = nil
    ) {
      size = status.size
      modified = status.modified
      changed = status.changed
      inode = status.inode
      self.verified = verified
      self.originURL = originURL
      self.entityTag = entityTag
      self.noted = noted
    }
  }

  /// The attributes of a regular file that are of use.
  package enum WantedAttributes: Sendable {
    /// The mark, and the origin URL if the mark refers to it.
    case mark
    /// Also the recorded entity tag.
    case markAndEntityTag
  }

  /// The entity tag recorded with a file; nil where there is none.
  package static func entityTag(of place: TargetPlace) -> EntityTag? {
    var attributes = AttributeReader(place)
    return attributes.read(.entityTag).flatMap { EntityTag(parsing: $0) }
  }

  /// Inspects a name without following links and without opening anything but a regular file.
  ///
  /// Makes at most two system calls where there is no regular file, and four for one: this runs for every finished entry
  /// of a list. A file that cannot be read has no mark.
  ///
  /// - Parameter noted: what an index remembers of the file. If the file still is that one, its attributes are not read.
  package static func inspect(
    _ place: TargetPlace, reading wanted: WantedAttributes = .mark, noted: FinishedFile? = nil
  ) throws(SystemCallError) -> ExistingTarget {
    guard let status = try SystemCalls.statusIfThere(place.directory.raw, place.name) else { return .absent }
    switch status.kind {
    case .directory: return .directory
    case .symbolicLink: return SpecialLink.isOne(place.directory.raw, place.name) ? .specialLink : .symbolicLink
    case .special: return .special
    case .regular: break
    }
    guard status.owner == SystemCalls.user || status.owner == 0 else {
      return .regular(RegularFile(status, verified: nil, originURL: nil))
    }
    if let noted,
      let mark = noted.mark(
        ofInode: status.inode, size: status.size, modified: status.modified, changed: status.changed)
    {
      return .regular(RegularFile(status, verified: mark, originURL: nil, noted: noted))
    }
    var attributes = AttributeReader(place)
    let tag = wanted == .mark ? nil : attributes.read(.entityTag)
    let mark = attributes.read(.verified).flatMap(VerifiedMark.init(bytes:))
    let origin = mark?.url == .originURL ? attributes.read(.originURL) : nil
    return .regular(
      RegularFile(
        status, verified: mark, originURL: origin.map { String(decoding: $0, as: UTF8.self) },
        entityTag: tag.flatMap { EntityTag(parsing: $0) }))
  }
}

/// An existing regular file, open for reading: it is hashed, and marked if the digest matches.
package final class ExistingFile: Sendable {
  private let descriptor: FileDescriptor
  private let directory: DirectoryHandle
  package let status: FileStatus

  /// - Throws: ELOOP for a link, EINVAL for anything else that is not a regular file.
  package init(_ place: TargetPlace) throws(SystemCallError) {
    let descriptor = try SystemCalls.openat(
      place.directory.raw, place.name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
    status = try SystemCalls.fstat(descriptor.raw)
    guard status.kind == .regular else { throw SystemCallError(.openat, EINVAL) }
    self.descriptor = descriptor
    directory = place.directory
  }

  /// Reads until the buffer is full or the file ends.
  /// - Returns: bytes read.
  package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SystemCallError) -> Int {
    try SystemCalls.preadAll(descriptor.raw, into: buffer, at: offset)
  }

  /// Puts files and their names on stable storage; the program that made them may not have done so.
  ///
  /// - Parameter files: in the order in which they were opened.
  /// - Returns: for each file the error that leaves it in doubt, if any.
  package static func sync(_ files: [ExistingFile]) -> [SystemCallError?] {
    let ofContent = GroupSync().sync(files.map { ($0.descriptor.raw, $0.status.device, $0.directory) })
    let ofNames = GroupSync.syncNames(in: files.map(\.directory))
    // On a read-only medium there is nothing to write.
    return zip(ofContent, ofNames).map { content, name in (content ?? name).flatMap { $0.errno == EROFS ? nil : $0 } }
  }

  /// Writes the attributes, unless the file has changed since it was opened.
  ///
  /// Call it only after reading every byte through this object and after `sync`: the mark must not survive a power
  /// cut that the content does not survive.
  ///
  /// - Returns: what an index may remember of the file; nil where it has changed.
  @discardableResult
  package func mark(_ attributes: FileAttributes) throws(SystemCallError) -> FinishedFile? {
    let before = try SystemCalls.fstat(descriptor.raw)
    guard before.size == status.size, before.modified == status.modified, before.changed == status.changed else {
      return nil
    }
    var attributes = attributes
    attributes.originURL = nil
    // A tag of an earlier answer is none of the URL that the mark will name.
    if attributes.entityTag == nil { try? SystemCalls.fremovexattr(descriptor.raw, .entityTag) }
    guard let first = try attributes.write(to: descriptor.raw, before), first.isWritten else {
      return attributes.unmarked(before)
    }
    // The first write updated the change time, which now gives the file system's current time.
    let after = try SystemCalls.fstat(descriptor.raw)
    guard after.size == before.size, after.modified == before.modified else { return nil }
    return try attributes.write(to: descriptor.raw, after)?.finished
  }
}
