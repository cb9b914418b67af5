internal import Glibc

/// Where paths lead through links.
package enum RealPath {
  /// The absolute path without links; nil where nothing is there or it cannot be told, as errno(3) says then.
  package static func of(_ path: [UInt8]) -> [UInt8]? {
    guard let text = realpath((path + [0]).map(CChar.init(bitPattern:)), nil) else { return nil }
    defer { free(text) }
    return Array(UnsafeRawBufferPointer(start: text, count: strlen(text)))
  }
}
