internal import DownloadCore

/// Names that stand next to a target while it is unfinished: the rule of contract section 4.
///
/// Where NAME with its suffix passes 255 bytes, NAME is cut and `~` with 16 digits of its FNV-1a hash takes the place of
/// what was cut. `TargetName` has the same rule for part file and sidecar.
enum StoredName {
  /// Where a part file goes whose content turned out to be wrong: `NAME.swiftget-bad`.
  static func bad(of name: [UInt8]) -> [UInt8] { TargetName.fitted(name, suffix: Array(".swiftget-bad".utf8)) }

  /// `.NAME.PID-N.swiftget-tmp`: a finished small file on its way to its name.
  static func temporary(of name: [UInt8], process: Int32, number: Int) -> [UInt8] {
    [UInt8(ascii: ".")] + adding(Array(".\(process)-\(number).swiftget-tmp".utf8), to: name, limit: 254)
  }

  static func adding(_ suffix: [UInt8], to name: [UInt8], limit: Int = 255) -> [UInt8] {
    if name.count + suffix.count <= limit { return name + suffix }
    let hash = Array(("~" + hexadecimalText(fnv1a(name))).utf8)
    var end = min(name.count, max(0, limit - suffix.count - hash.count))
    // Not inside a UTF-8 sequence: back over at most three continuation bytes, for the name may be no UTF-8 at all.
    for _ in 0..<3 where end > 0 && end < name.count && name[end] & 0xC0 == 0x80 { end -= 1 }
    return name[..<end] + hash + suffix
  }

  private static func fnv1a(_ bytes: [UInt8]) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}
