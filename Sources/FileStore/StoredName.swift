internal import DownloadCore

/// Names of rejected and temporary files next to a target. `TargetName` has those of unfinished downloads.
enum StoredName {
  /// `NAME.swiftget-bad`: a part file whose content is wrong.
  static func bad(of name: [UInt8]) -> [UInt8] { TargetName.fitted(name, suffix: TargetName.rejectedSuffix) }

  /// `.NAME.PID-N.swiftget-tmp`: a finished small file that does not have its name yet.
  static func temporary(of name: [UInt8], process: Int32, number: Int) -> [UInt8] {
    TargetName.fitted(
      [UInt8(ascii: ".")] + name, suffix: Array(".\(process)-\(number)".utf8) + TargetName.temporarySuffix)
  }
}
