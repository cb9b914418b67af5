/// The entity tags in a host's answers with content of one file, and whether they tell versions apart.
///
/// The servers behind one name may each give the same version a tag of their own. A new version may have the length and
/// the modification time of the one before, too, but its tag replaces the former one for good. So tags are unreliable
/// if a later request gets the former tag again, or if each of three answers has another one.
///
/// Every file is judged by its own answers: two files of which each changes once are no evidence.
struct EntityTagEvidence: Sendable {
  /// Answers of which each has another tag that show that tags change with every answer.
  private static let leastDifferentTags = 3

  private let lastModified: Int64?
  private let completeLength: Int64?
  /// In the order in which they were first seen.
  private var tags: [EntityTag]
  /// The tag of the last answer.
  private var latest: EntityTag
  private var answerCount = 1
  /// The highest number of a transfer when the last answer with another tag came.
  private var lastTransferAtChange = -1

  /// Nil for an answer without a strong tag.
  init?(_ answer: Representation) {
    guard let tag = answer.validators.entityTag else { return nil }
    lastModified = answer.validators.lastModified
    completeLength = answer.completeLength
    tags = [tag]
    latest = tag
  }

  /// Takes another answer of the host for this file.
  ///
  /// - Parameters:
  ///   - transfer: the number of the transfer that it answers.
  ///   - lastTransfer: the highest number of a transfer that has begun.
  /// - Returns: whether this answer shows that the tags are unreliable.
  mutating func isRefuted(by answer: Representation, to transfer: Int, lastTransfer: Int) -> Bool {
    guard let tag = answer.validators.entityTag else { return false }
    // One that tells neither a length nor a time is of any version.
    if answer.completeLength == nil, answer.validators.lastModified == nil { return false }
    guard mayBeSameVersion(answer) else {
      self = EntityTagEvidence(answer) ?? self
      return false
    }
    answerCount += 1
    if tag == latest { return false }
    // An answer to an earlier request may only be late.
    let isLate = transfer <= lastTransferAtChange
    guard tags.contains(tag) else {
      tags.append(tag)
      latest = tag
      lastTransferAtChange = lastTransfer
      return tags.count >= Self.leastDifferentTags && tags.count == answerCount
    }
    return !isLate
  }

  /// Whether nothing but the tag tells the versions apart.
  private func mayBeSameVersion(_ answer: Representation) -> Bool {
    guard answer.validators.lastModified == lastModified else { return false }
    // Without a length the modification time must show that the version is the same.
    guard let length = answer.completeLength, let completeLength else { return lastModified != nil }
    return length == completeLength
  }
}
