internal import DownloadCore

/// Names that stand next to a target for other reasons than being unfinished; those are `TargetName`'s.
enum StoredName {
  /// Where a part file goes whose content turned out to be wrong: `NAME.swiftget-bad`.
  static func bad(of name: [UInt8]) -> [UInt8] { TargetName.fitted(name, suffix: TargetName.rejectedSuffix) }

  /// `.NAME.PID-N.swiftget-tmp`: a finished small file on its way to its name.
  static func temporary(of name: [UInt8], process: Int32, number: Int) -> [UInt8] {
    TargetName.fitted(
      [UInt8(ascii: ".")] + name, suffix: Array(".\(process)-\(number)".utf8) + TargetName.temporarySuffix)
  }
}
