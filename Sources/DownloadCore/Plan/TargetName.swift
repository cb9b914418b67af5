/// Why a name cannot be a target.
package enum TargetNameError: Error, Hashable, Sendable {
  case empty
  case absolute
  /// It has a `..` component.
  case leavesDirectory
  /// It ends with a slash.
  case isDirectory
  case controlCharacter
  /// A component has more than 255 bytes.
  case tooLong
  /// A component ends as the names do that we give to files beside a target.
  case reservedSuffix
  /// It begins as a URL does, so it is one that stands in the wrong place.
  case isURL

  /// Reads after the name and a colon.
  package var reason: String {
    switch self {
    case .empty: "the name is empty"
    case .absolute: "the name begins with a slash, but must stay inside the target directory"
    case .leavesDirectory: "the name contains '..', but must stay inside the target directory"
    case .isDirectory: "the name ends with a slash, so it names a directory"
    case .controlCharacter: "the name contains a control character"
    case .tooLong: "a part of the name is longer than 255 bytes"
    case .reservedSuffix:
      "names ending in .swiftget, .swiftget-part, .swiftget-bad or .swiftget-tmp are kept for unfinished downloads"
    case .isURL: "a URL is no name for a file"
    }
  }
}

/// Names of targets, of their part files and of their sidecars, as raw bytes.
///
/// Names out of URLs and lists are data: whatever they hold, they stay inside the target directory.
package enum TargetName {
  /// NAME_MAX on every file system of ours, in bytes.
  package static let maximumByteCount = 255
  private static let partSuffix = Array(".swiftget-part".utf8)
  private static let sidecarSuffix = Array(".swiftget".utf8)
  /// Of content that turned out to be wrong.
  package static let rejectedSuffix = Array(".swiftget-bad".utf8)
  /// Of a finished small file on its way to its name.
  package static let temporarySuffix = Array(".swiftget-tmp".utf8)
  private static let reservedSuffixes = [partSuffix, sidecarSuffix, rejectedSuffix, temporarySuffix]
  private static let fallback = Array("index.html".utf8)

  /// The name that a URL gives: its last path segment, percent-decoded once, or `index.html` where there is none.
  ///
  /// A slash or control character that only decoding brought forth becomes `_`; `.` and `..` become `index.html`.
  /// An escape that is none (`%zz`) stays as it is. The name may still be refused by `checked`: it may be too long
  /// or end as a sidecar does.
  /// - Parameter path: the path of a `Location`, percent-encoded, without query.
  package static func fromURLPath(_ path: String) -> [UInt8] {
    let bytes = Array(path.utf8)
    let slash = UInt8(ascii: "/")
    let segment = bytes[(bytes.lastIndex(of: slash).map { $0 + 1 } ?? 0)...]
    var name = percentDecoded(segment)
    for index in name.indices where name[index] == slash || name[index].isControl { name[index] = UInt8(ascii: "_") }
    return name.isEmpty || name == dot || name == dotDot ? fallback : name
  }

  /// The components of a relative path that a list or a URL gave; none is empty, `.` or `..`, or has a slash.
  ///
  /// `.` components and doubled slashes are dropped. Backslashes and leading dashes are as good as other characters.
  package static func checked(_ path: [UInt8]) throws(TargetNameError) -> [[UInt8]] {
    let slash = UInt8(ascii: "/")
    if path.isEmpty { throw .empty }
    if path.first == slash { throw .absolute }
    if path.last == slash { throw .isDirectory }
    if path.contains(where: { $0.isControl }) { throw .controlCharacter }
    if isURL(path) { throw .isURL }
    var components: [[UInt8]] = []
    for component in path[...].parts(separatedBy: slash) {
      if component.elementsEqual(dot) { continue }
      if component.elementsEqual(dotDot) { throw .leavesDirectory }
      if component.count > maximumByteCount { throw .tooLong }
      if isReserved(component) { throw .reservedSuffix }
      components.append(Array(component))
    }
    if components.isEmpty { throw .empty }
    return components
  }

  /// Whether the name ends as those do that we give to files beside a target.
  package static func isReserved(_ name: some BidirectionalCollection<UInt8>) -> Bool {
    // Their last letters spare most names the comparison.
    switch name.last {
    case UInt8(ascii: "t"), UInt8(ascii: "d"), UInt8(ascii: "p"):
      reservedSuffixes.contains { name.suffix($0.count).elementsEqual($0) }
    default: false
    }
  }

  /// Whether it begins with a scheme and `://`.
  package static func isURL(_ name: [UInt8]) -> Bool { URLListParser.beginsWithURL(name[...]) }

  /// `NAME.swiftget-part`, for the last component of a target.
  package static func partName(for name: [UInt8]) -> [UInt8] { fitted(name, suffix: partSuffix) }

  /// `NAME.swiftget`, for the last component of a target.
  package static func sidecarName(for name: [UInt8]) -> [UInt8] { fitted(name, suffix: sidecarSuffix) }

  /// The name with the suffix; where that passes 255 bytes: its beginning, `~`, the hash of all of it in 16
  /// hexadecimal digits, and the suffix.
  package static func fitted(_ name: [UInt8], suffix: [UInt8]) -> [UInt8] {
    if name.count + suffix.count <= maximumByteCount { return name + suffix }
    var end = maximumByteCount - suffix.count - 17
    // Not inside a UTF-8 sequence: back over at most three continuation bytes, for the name may be no UTF-8 at all.
    for _ in 0..<3 where name[end] & 0xc0 == 0x80 { end -= 1 }
    return name[..<end] + [UInt8(ascii: "~")] + Array(StableHash.hexadecimal(StableHash.fnv1a(name)).utf8) + suffix
  }

  private static let dot = [UInt8(ascii: ".")]
  private static let dotDot = [UInt8(ascii: "."), UInt8(ascii: ".")]

  private static func percentDecoded(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(text.count)
    var index = text.startIndex
    while index < text.endIndex {
      if text[index] == UInt8(ascii: "%"), text.endIndex - index > 2, let high = hexadecimalValue(of: text[index + 1]),
        let low = hexadecimalValue(of: text[index + 2])
      {
        decoded.append(high << 4 | low)
        index += 3
      } else {
        decoded.append(text[index])
        index += 1
      }
    }
    return decoded
  }
}
