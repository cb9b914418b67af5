@testable import DownloadCore
@testable import DownloadFiles

/// The places in the program that sync, told apart by what they find to be synced.
enum SyncSite: String, CaseIterable, Comparable {
  /// The part file's data, at a checkpoint.
  case partData
  /// The whole part file, before it is renamed.
  case wholePart
  /// The names of sidecar and part file, before the first data sync.
  case namesBeforeData
  /// The directory, after a part file got its name.
  case nameAfterRename
  /// The directory, after small files got theirs.
  case namesOfGroup
  /// The parents of a directory that the run made.
  case parentDirectory
  /// The sidecar, after a record of what is synced.
  case record
  /// The sidecar, after the first of the two records that take claims back, and after the second.
  case claimTakenBack, claimTakenBackAgain
  /// The sidecar, after the record of a killed run was written once more.
  case repeatedRecord
  /// Some small files, one by one.
  case stagedFile
  /// Many small files at once.
  case group
  /// A file that was there and is right, and the directory it is in.
  case foundFile, nameOfFoundFile

  static func < (left: SyncSite, right: SyncSite) -> Bool { left.rawValue < right.rawValue }

  /// Nil where nothing was left to be synced.
  init?(_ call: SystemCall, _ node: DiskModel.NodeID, in disk: DiskModel) {
    if call == .syncfs {
      self = .group
      return
    }
    if let directory = disk.directory(node) {
      self.init(directory, in: disk)
      return
    }
    if let watch = disk.watches[node] {
      guard let site = watch.site else { return nil }
      self = site
      return
    }
    let isPart = disk.names(of: node).contains { $0.hasSuffix(".swiftget-part") }
    self = disk.found.contains(node) ? .foundFile : !isPart ? .stagedFile : call == .fdatasync ? .partData : .wholePart
  }

  private init?(_ directory: DiskModel.Directory, in disk: DiskModel) {
    let changed = directory.names.filter { !$0.value.pending.isEmpty }
    if changed.isEmpty { return nil }
    let finals = changed.keys.filter { !$0.contains(".swiftget") && directory.names[$0]?.current != nil }
    if finals.contains(where: { directory.names[$0]?.current.map(disk.found.contains) ?? false }) {
      self = .nameOfFoundFile
    } else if finals.contains(where: {
      changed["\($0).swiftget-part"] != nil || directory.names["\($0).swiftget"]?.current != nil
    }) {
      self = .nameAfterRename
    } else if finals.contains(where: { name in directory.names[name]?.current.map { disk.file($0) != nil } ?? false }) {
      self = .namesOfGroup
    } else if finals.isEmpty {
      self = .namesBeforeData
    } else {
      self = .parentDirectory
    }
  }
}

/// What the program believes of one sidecar, from what it writes into it.
struct SidecarWatch {
  /// The record that the program takes to be on stable storage.
  private(set) var believed: SidecarRecord?
  /// Grows with each of them.
  private(set) var believedCount = 0
  private var written: SidecarRecord?
  private(set) var site: SyncSite?
  private var takesBack = false

  mutating func wrote(_ bytes: [UInt8], at offset: Int64, over old: [UInt8]) {
    guard offset < SidecarReading.holderOffset else { return }
    if bytes == old {
      site = .repeatedRecord
    } else if case .record(let record, isSynced: true) = SidecarSlot.decode(bytes[...]) {
      // A checkpoint claims something new; whoever does not starts over.
      let known = believed?.synced ?? ByteRangeSet()
      let isNew = record.synced.ranges.contains { !known.contains($0) }
      site = isNew ? .record : takesBack ? .claimTakenBackAgain : .claimTakenBack
      written = record
    }
  }

  /// What must be claimed after a power cut: while claims are being taken back, what will be left of them.
  var required: SidecarRecord? {
    switch site {
    case .claimTakenBack, .claimTakenBackAgain: written
    default: believed
    }
  }

  mutating func synced() {
    if let written {
      believed = written
      believedCount += 1
      takesBack = site == .claimTakenBack
    }
    written = nil
    site = nil
  }
}
