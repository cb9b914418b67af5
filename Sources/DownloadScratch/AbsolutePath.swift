internal import Glibc

/// Paths that do not depend on the working directory.
package enum AbsolutePath {
  private static let slash = UInt8(ascii: "/")

  /// - Parameter directory: absolute, without a slash at its end.
  package static func of(_ name: [UInt8], in directory: [UInt8]) -> [UInt8] {
    name.first == slash ? name : directory + [slash] + name
  }

  /// The directory without a slash at its end.
  package static func of(directory: [UInt8]) -> [UInt8] {
    var path = directory
    if path.first != slash {
      let working = workingDirectory
      path = path.isEmpty ? working : working + [slash] + path
    }
    while path.last == slash { path.removeLast() }
    return path
  }

  /// The path without empty and `.` components.
  ///
  /// - Parameter path: an absolute one.
  package static func cleaned(_ path: [UInt8]) -> [UInt8] {
    path.split(separator: slash).filter { $0 != [UInt8(ascii: ".")] }.flatMap { CollectionOfOne(slash) + $0 }
  }

  /// Without a name of it, paths stay relative to it.
  private static var workingDirectory: [UInt8] {
    guard let path = getcwd(nil, 0) else { return [UInt8(ascii: ".")] }
    defer { free(path) }
    return Array(UnsafeRawBufferPointer(start: path, count: strlen(path)))
  }
}
