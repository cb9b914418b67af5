/// A finished file in a target's place, and what its mark tells about it.
package struct LocalCopy: Hashable, Sendable {
  /// What the mark of an earlier run says about the file.
  package enum Mark: Hashable, Sendable {
    /// There is none that counts. The file may be anybody's.
    case none
    /// The file is untouched since it came from a URL of the request.
    case matching
    /// The file has the size and time of its mark, which names another URL.
    case ofOtherURL
    /// The file has another size or time than its mark says.
    case broken
  }

  /// Unix seconds.
  package var modified: Int64
  /// Bytes.
  package var size: Int64
  package var mark: Mark
  /// The strong entity tag of the answer that brought the file; only where the mark is `matching` or `ofOtherURL`.
  package var entityTag: EntityTag?
  /// Whether the server dated the file: `modified` is a whole second, and not that of the download.
  package var isDated: Bool

  package init(
    modified: Int64, size: Int64, mark: Mark = .none, entityTag: EntityTag? = nil, isDated: Bool = true
  ) {
    self.modified = modified
    self.size = size
    self.mark = mark
    self.entityTag = entityTag
    self.isDated = isDated
  }

  // MARK: Another URL

  /// What shows that the file of another URL is not the one of this answer, which has its length; nil where nothing does.
  func contradiction(to answer: Answer, on host: HostConditions) -> VersionChange? {
    guard mark == .ofOtherURL else { return nil }
    let theirs = answer.representation.validators
    if hasTag(of: theirs, on: host) == false { return .entityTag }
    // FAT stores every other second.
    guard isDated, let time = theirs.lastModified, order(of: time) != .same, abs(time - modified) > 1 else {
      return nil
    }
    return .lastModified
  }

  // MARK: A newer version

  /// Whether the request may have the file's date as its condition.
  ///
  /// The date of a file whose mark does not fit is no validator: the file may be truncated, or be of another URL.
  package var isCondition: Bool { mark == .matching || mark == .none && size > 0 }

  /// What follows from an answer.
  enum Judgement: Hashable {
    case keep, replace
    /// The answer does not say what it brings: it may be a login page.
    case refuse
    /// A HEAD is to tell the length.
    case askLength
  }

  /// What a 200 means for the file.
  ///
  /// A new entity tag is a new version, whatever its date, if the mark says that the file is the one of the old tag.
  /// Otherwise the dates decide. Some servers compare them for equality only and send an older file. An answer with an
  /// entity tag alone is taken.
  func judgement(on answer: Answer, _ host: HostConditions) -> Judgement {
    let theirs = answer.representation.validators
    let isSameTag = hasTag(of: theirs, on: host)
    if mark == .matching, let isSameTag { return isSameTag && hasLength(of: answer) ? .keep : .replace }
    guard let time = theirs.lastModified else {
      return theirs.isEmpty && (isDated || entityTag != nil) ? .refuse : .replace
    }
    switch order(of: time) {
    case .older: return .keep
    case .newer: return .replace
    case .same: return mark != .broken && isSameTag != false && hasLength(of: answer) ? .keep : .replace
    }
  }

  /// What a 304 means for the file: a date alone does not show that the file is whole.
  func judgement(onNotModified answer: Answer) -> Judgement {
    if mark == .matching { return .keep }
    guard let length = answer.bodyLength else { return .askLength }
    return length == size ? .keep : .replace
  }

  /// Nil where a side has no tag, or the host's tags tell nothing.
  private func hasTag(of theirs: Validators, on host: HostConditions) -> Bool? {
    guard host.isETagReliable, let mine = entityTag, let other = theirs.entityTag else { return nil }
    return mine.opaque == other.opaque
  }

  /// Whether the answer's length is the file's, or tells nothing.
  func hasLength(of answer: Answer) -> Bool {
    answer.representation.contentCoding != nil || answer.bodyLength.map { $0 == size } ?? true
  }

  // MARK: Dates

  private enum Order { case older, same, newer }

  /// How a time of the server compares with the file's.
  private func order(of time: Int64) -> Order {
    if time <= modified { return time == modified ? .same : .older }
    return Self.latestTimes.contains(modified) ? .same : .newer
  }

  /// The latest times of file systems, in Unix seconds. They stand for every later one: 2038 (ext3, and ext4 with small
  /// inodes), 2040 (HFS+), 2106 (32 bits without a sign), 2107 (FAT and exFAT), 2446 (ext4), 2486 (XFS).
  private static let latestTimes: Set<Int64> = [
    Int64(Int32.max), 2_212_122_495, Int64(UInt32.max), 4_354_819_198, 4_354_819_199, (1 << 34) - (1 << 31) - 1,
    16_299_260_424,
  ]
}
