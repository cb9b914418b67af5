import TestSupport

@testable import DownloadCore
@testable import DownloadFiles

/// A wanted file, and what may stand under its name.
struct CutTarget {
  /// Below the target directory.
  let name: String
  /// What stood there before the first run; nil is nothing.
  var old: ExpectedContent?
  var oldModified: FileTime?
  /// Whether that was on stable storage.
  var isOldDurable = true
  /// What the server has under it, the version wanted at the end last.
  let versions: [ExpectedContent]

  var sidecarName: String { "\(name).swiftget" }
  var partName: String { "\(name).swiftget-part" }
}

/// Says what of the promises a power cut has broken.
struct PowerCutOracle {
  let targets: [CutTarget]
  /// Whether the file system of the recording kept attributes.
  let hasAttributes: Bool

  /// - Parameters:
  ///   - current: what the program sees.
  ///   - isOver: the run has ended with exit status 0.
  /// - Returns: nil where all is as promised.
  func violation(in disk: SurvivingDisk, current: SurvivingDisk, isOver: Bool) -> String? {
    for target in targets {
      if let found = violation(target, disk, current, isOver: isOver) { return "\(target.name): \(found)" }
    }
    return nil
  }

  private func violation(
    _ target: CutTarget, _ disk: SurvivingDisk, _ current: SurvivingDisk, isOver: Bool
  ) -> String? {
    let final = disk.file(target.name)
    let isNew = final.map { final in target.versions.contains { final.isWhole($0) } } ?? false
    if let final {
      let isOld = target.old.map { final.isWhole($0) } ?? false
      let isVouched = isVouching(final)
      if !isNew, isVouched { return "what is not right is marked as verified" }
      if !isNew, !isOld, target.isOldDurable { return "what has the name is neither whole nor old" }
      if isNew, !isOld, !isVouched, hasAttributes { return "the file has its name and no mark" }
    }
    if isOver, final?.isWhole(target.versions.last!) != true { return "the run has ended and the file is not there" }
    return resumeViolation(target, disk, isNew ? nil : required(target, current))
  }

  /// The mark that the next run will believe without reading the file.
  private func isVouching(_ file: SurvivingFile) -> Bool {
    guard let mark = file.attributes["user.swiftget.verified"].flatMap(VerifiedMark.init(bytes:)),
      let modified = file.modified
    else { return false }
    // The disk of the model keeps no change times: a mark that they would refuse costs a hash at most.
    return mark.names(size: file.size, modified: modified)
  }

  /// Whether the next run would go on from wrong bytes, or from fewer than it may lose.
  private func resumeViolation(
    _ target: CutTarget, _ disk: SurvivingDisk, _ required: SidecarRecord?
  ) -> String? {
    guard let sidecar = disk.file(target.sidecarName),
      case .record(let record) = SidecarReading(sidecar.bytes(0..<SidecarReading.holderOffset)).outcome
    else { return required == nil ? nil : "what was synced is lost with the sidecar" }
    let claimed = record.believed(bootID: "after the power cut")
    if let missing = required?.synced.ranges.first(where: { !claimed.contains($0) }) {
      return "\(missing) was synced and is not claimed any more"
    }
    guard let part = disk.file(target.partName) else { return required == nil ? nil : "the part file is lost" }
    let end = claimed.ranges.last?.upperBound ?? 0
    if part.size < end { return required == nil ? nil : "the part file is shorter than what was synced" }
    guard let version = version(target, record) else { return claimed.isEmpty ? nil : "the record names no version" }
    if let wrong = claimed.ranges.first(where: { !part.holds($0, of: version) }) {
      return "\(wrong) is claimed and is not right"
    }
    return nil
  }

  /// The content that a record speaks of, by its entity tag.
  func version(_ target: CutTarget, _ record: SidecarRecord) -> ExpectedContent? {
    let tag = record.mirrors.first?.strongTag
    return target.versions.first { tag == Array($0.content.tag.utf8) }
  }

  /// The record that the program takes to be safe, as long as it claims anything.
  func required(_ target: CutTarget, _ current: SurvivingDisk) -> SidecarRecord? {
    guard let node = current.node(target.sidecarName) ?? lastSidecar(target, current),
      let record = current.model.watches[node]?.required, !record.synced.isEmpty
    else { return nil }
    return record
  }

  /// The sidecar that has just been removed: until its file's name is safe, what it said still counts.
  private func lastSidecar(_ target: CutTarget, _ current: SurvivingDisk) -> DiskModel.NodeID? {
    let parent = target.name.split(separator: "/").dropLast().joined(separator: "/")
    let name = target.sidecarName.split(separator: "/").last.map(String.init) ?? ""
    guard let directory = current.node(parent),
      let history = current.model.directory(directory)?.names[name]
    else { return nil }
    return history.pending.last { $0.value != nil }?.value ?? history.durable
  }
}
