/// Names of targets, part files and sidecars, in raw bytes.
///
/// Names from URLs and lists are untrusted. They always stay inside the target directory.
package enum TargetName {
  /// NAME_MAX of Linux, in bytes.
  package static let maximumByteCount = 255
  private static let partSuffix = Array(".swiftget-part".utf8)
  private static let sidecarSuffix = Array(".swiftget".utf8)
  /// The suffix of a part file with wrong content.
  package static let rejectedSuffix = Array(".swiftget-bad".utf8)
  /// The suffix of a finished small file that does not have its name yet.
  package static let temporarySuffix = Array(".swiftget-tmp".utf8)
  /// The suffix of a directory in which the next set of files is prepared.
  package static let nextSetSuffix = Array(".swiftget-next".utf8)
  private static let reservedSuffixes = [partSuffix, sidecarSuffix, rejectedSuffix, temporarySuffix, nextSetSuffix]
  private static let fallback = Array("index.html".utf8)

  /// The name derived from a URL: its last path segment, percent-decoded once, or `index.html` where that is empty.
  ///
  /// Slashes and control characters that result from decoding become `_`; `.` and `..` become `index.html`. Invalid
  /// escapes (`%zz`) stay. `checked` may still refuse the name for its length or suffix.
  /// - Parameter path: the path of a `Location`, percent-encoded, without query.
  package static func fromURLPath(_ path: String) -> [UInt8] {
    let bytes = Array(path.utf8)
    let segment = bytes[(bytes.lastIndex(of: slash).map { $0 + 1 } ?? 0)...]
    let name = component(fromURL: segment)
    return name.isEmpty || name == dot || name == dotDot ? fallback : name
  }

  /// The directories of a URL's path, percent-decoded once, without empty ones. `.` and `..` that result from decoding
  /// become `_` and `__`. `checked` may still refuse them.
  ///
  /// - Parameter path: as for `fromURLPath`.
  package static func directories(fromURLPath path: String) -> [[UInt8]] {
    Array(path.utf8).split(separator: slash, omittingEmptySubsequences: false).dropLast().compactMap { segment in
      let name = component(fromURL: segment)
      if name == dot || name == dotDot { return name.map { _ in underscore } }
      return name.isEmpty ? nil : name
    }
  }

  /// The name of a directory for a host: the host, and the port unless it is the usual one, as in wget.
  package static func directory(for origin: Origin) -> [UInt8] {
    let port = origin.port == origin.scheme.usualPort ? "" : ":\(origin.port)"
    return Array((origin.host + port).utf8)
  }

  private static func component(fromURL segment: ArraySlice<UInt8>) -> [UInt8] {
    var name = PercentEncoding.decodeKeepingInvalid(segment)
    for index in name.indices where name[index] == slash || name[index].isControl { name[index] = underscore }
    return name
  }

  /// The name that a server suggests: its last path component, without surrounding spaces.
  ///
  /// Control characters become `_`, and so do dots at the beginning, so that a server never creates a hidden file.
  /// - Parameter suggestion: as `ContentDisposition.fileName` returns it.
  /// - Returns: nil if nothing usable is left.
  package static func fromServer(_ suggestion: [UInt8]) -> [UInt8]? {
    let start = suggestion.lastIndex { $0 == slash || $0 == UInt8(ascii: "\\") }.map { $0 + 1 } ?? 0
    var name = Array(suggestion[start...].trimmed)
    for index in name.indices where name[index].isControl { name[index] = underscore }
    for index in name.indices.prefix(while: { name[$0] == UInt8(ascii: ".") }) { name[index] = underscore }
    guard let components = try? checked(name), components.count == 1 else { return nil }
    return name
  }

  /// The components of a relative path from a list or a URL. None is empty, `.` or `..`.
  ///
  /// Drops `.` components and repeated slashes. Backslashes and leading dashes are allowed.
  ///
  /// - Parameter controls: all of them are for files that are only read.
  package static func checked(
    _ path: [UInt8], controls: ControlCharacters = .none
  ) throws(TargetNameError) -> [[UInt8]] {
    if path.isEmpty { throw .empty }
    if path.first == slash { throw .absolute }
    if path.last == slash { throw .isDirectory }
    // A NUL byte cannot be part of a name.
    if path.contains(where: { $0.isControl && !controls.contain($0) }) { throw .controlCharacter }
    if isURL(path) { throw .isURL }
    var components: [[UInt8]] = []
    for component in path[...].parts(separatedBy: slash) {
      if component.first == UInt8(ascii: "."), component.count <= 2 {
        if component.count == 1 { continue }
        if component.last == UInt8(ascii: ".") { throw .leavesDirectory }
      }
      if component.count > maximumByteCount { throw .tooLong }
      if isReserved(component) { throw .reservedSuffix }
      components.append(Array(component))
    }
    if components.isEmpty { throw .empty }
    return components
  }

  /// Whether `checked` accepts the path and returns its components as they stand between its slashes. False also for some
  /// paths of which that is true: those with a colon, which may be URLs, and with short components that begin with a dot.
  static func isPlain(_ path: UnsafeRawBufferPointer) -> Bool {
    var start = 0
    var index = 0
    while index < path.count {
      let byte = path[index]
      if byte == slash {
        guard isPlain(component: UnsafeRawBufferPointer(rebasing: path[start..<index])) else { return false }
        start = index + 1
      } else if byte.isControl || byte == UInt8(ascii: ":") {
        return false
      }
      index += 1
    }
    return isPlain(component: UnsafeRawBufferPointer(rebasing: path[start...]))
  }

  private static func isPlain(component: UnsafeRawBufferPointer) -> Bool {
    guard let first = component.first, component.count <= maximumByteCount else { return false }
    if first == UInt8(ascii: "."), component.count <= 2 { return false }
    return !isReserved(component)
  }

  /// Whether the name has a suffix of our own files.
  package static func isReserved(_ name: some BidirectionalCollection<UInt8>) -> Bool {
    // Most names have another last letter and need no comparison.
    switch name.last {
    case UInt8(ascii: "t"), UInt8(ascii: "d"), UInt8(ascii: "p"):
      reservedSuffixes.contains { name.suffix($0.count).elementsEqual($0) }
    default: false
    }
  }

  /// Whether the name begins with a scheme and `://`.
  package static func isURL(_ name: [UInt8]) -> Bool { URLScheme.begins(name[...]) }

  /// `NAME.swiftget-part`, for the last component of a target.
  package static func partName(for name: [UInt8], limit: Int = maximumByteCount) -> [UInt8] {
    fitted(name, suffix: partSuffix, limit: limit)
  }

  /// `NAME.swiftget`, for the last component of a target.
  package static func sidecarName(for name: [UInt8], limit: Int = maximumByteCount) -> [UInt8] {
    fitted(name, suffix: sidecarSuffix, limit: limit)
  }

  /// The name with the suffix. Where that exceeds the limit: the name's beginning, `~`, the hash of the whole name in 16
  /// hexadecimal digits, and the suffix.
  ///
  /// - Parameter limit: the most bytes that the file system allows. The result is longer where the limit is below 17 bytes
  ///   and the suffix.
  package static func fitted(_ name: [UInt8], suffix: [UInt8], limit: Int = maximumByteCount) -> [UInt8] {
    if name.count + suffix.count <= limit { return name + suffix }
    var end = min(max(0, limit - suffix.count - 17), name.count - 1)
    // Do not cut inside a UTF-8 sequence. Go back over at most three continuation bytes; the name may not be UTF-8.
    for _ in 0..<3 where end > 0 && name[end] & 0xc0 == 0x80 { end -= 1 }
    return name[..<end] + [UInt8(ascii: "~")] + Array(StableHash.hexadecimal(StableHash.fnv1a(name)).utf8) + suffix
  }

  private static let slash = UInt8(ascii: "/")
  private static let underscore = UInt8(ascii: "_")
  private static let dot = [UInt8(ascii: ".")]
  private static let dotDot = [UInt8(ascii: "."), UInt8(ascii: ".")]
}
