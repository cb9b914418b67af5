internal import DownloadCore
internal import DownloadFiles

/// Existing files that match their digests: they are put on stable storage together and then marked.
///
/// One sync costs about the same for one file as for hundreds. Each file holds a descriptor.
struct ExistingFileGroup {
  struct Member {
    let item: ItemHandle
    let file: ExistingFile
    let byteCount: Int64
    /// With the digest that the content was verified against; without one, the file is not marked.
    let attributes: FileAttributes
  }

  private var members: [Member] = []
  private var byteCount: Int64 = 0

  /// Members and bytes from which on the group is full, so that no file waits long for others to be hashed.
  private static let countLimit = 256
  private static let byteLimit: Int64 = 32 << 20

  var isFull: Bool { members.count >= Self.countLimit || byteCount >= Self.byteLimit }

  /// Members are added in the order in which their files were opened.
  mutating func add(_ member: Member) {
    members.append(member)
    byteCount += member.byteCount
  }

  /// Syncs and marks all members and leaves the group empty.
  mutating func finish() -> [WorkerReply] {
    if members.isEmpty { return [] }
    defer {
      members.removeAll(keepingCapacity: true)
      byteCount = 0
    }
    return zip(members, ExistingFile.sync(members.map(\.file))).map { member, error in
      if let error { return .hashFailed(member.item, error) }
      let digest = member.attributes.digest
      let finished = digest == nil ? nil : try? member.file.mark(member.attributes)
      return .existingRight(member.item, verified: digest, byteCount: member.byteCount, finished)
    }
  }
}
