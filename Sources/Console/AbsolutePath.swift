import Glibc

/// Paths that do not depend on the working directory.
enum AbsolutePath {
  private static let slash = UInt8(ascii: "/")

  /// - Parameter directory: absolute, without a slash at its end.
  static func of(_ name: [UInt8], in directory: [UInt8]) -> [UInt8] {
    name.first == slash ? name : directory + [slash] + name
  }

  /// The directory without a slash at its end.
  static func of(directory: [UInt8]) -> [UInt8] {
    var path = directory
    if path.first != slash {
      var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
      // Without a name of the working directory, paths stay relative to it.
      let base = getcwd(&buffer, buffer.count).map { Array(String(cString: $0).utf8) } ?? [UInt8(ascii: ".")]
      path = path.isEmpty ? base : base + [slash] + path
    }
    while path.last == slash { path.removeLast() }
    return path
  }
}
