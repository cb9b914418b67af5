internal import DownloadCore

/// Names of our own files beside a target. They fit what the file system allows.
enum StoredName {
  /// The most bytes of a name.
  ///
  /// - Parameter status: of the file system; nil where it is not known.
  static func limit(_ status: FileSystemStatus?) -> Int {
    // FAT and its kin count characters and tell three or four times their number. The kernel allows no more than NAME_MAX.
    guard let told = status?.nameLimit, told > 0 else { return TargetName.maximumByteCount }
    return min(told, TargetName.maximumByteCount)
  }

  /// `.NAME.PID-N.swiftget-tmp`: a finished file that does not have its name yet.
  static func temporary(of name: [UInt8], process: Int32, number: Int, limit: Int) -> [UInt8] {
    TargetName.fitted(
      [UInt8(ascii: ".")] + name, suffix: Array(".\(process)-\(number)".utf8) + TargetName.temporarySuffix, limit: limit
    )
  }
}
