internal import DownloadFiles
internal import DownloadScratch
internal import Glibc

/// Where a path leads, so that two paths of one file are recognized: by their text, by the directory that they name the
/// file in, and by the file itself where it exists.
package struct FilePlace {
  /// Absolute, without empty and `.` components.
  let path: [UInt8]
  /// The last component.
  let name: [UInt8]
  /// Nil where the directory does not exist.
  private let directory: Identity?
  /// What the path leads to, through links; nil where nothing is there, and for devices, which many may share.
  private let file: Identity?

  private struct Identity: Equatable {
    let device: dev_t
    let inode: ino_t
  }

  /// - Parameter path: relative to the working directory, or absolute.
  package init(_ path: [UInt8]) { self.init(absolute: AbsolutePath.of(directory: path)) }

  /// - Parameter path: an absolute path.
  package init(absolute path: [UInt8]) {
    self.path = AbsolutePath.cleaned(path)
    let end = self.path.lastIndex(of: UInt8(ascii: "/")) ?? self.path.startIndex
    name = Array(self.path[end...].dropFirst())
    directory = stat(of: self.path[..<end] + [UInt8(ascii: "/")]).map(Self.identity)
    file = stat(of: self.path).flatMap { $0.type == S_IFCHR ? nil : Self.identity($0) }
  }

  private static func identity(_ status: stat) -> Identity { Identity(device: status.st_dev, inode: status.st_ino) }

  /// Where the path leads through links; nil where its directory does not exist, or no link is on the way.
  var behindLinks: FilePlace? {
    let slash = UInt8(ascii: "/")
    let end = path.lastIndex(of: slash) ?? path.startIndex
    let real =
      RealPath.of(path) ?? RealPath.of(path[..<end] + [slash]).map { AbsolutePath.cleaned($0 + [slash] + name) }
    return real == path ? nil : real.map { FilePlace(absolute: $0) }
  }

  /// Whether both are one name in one directory, and no device, which everything may be written to.
  func isSameName(as other: FilePlace) -> Bool {
    guard name == other.name, !isDevice else { return false }
    return path == other.path || directory != nil && directory == other.directory
  }

  /// Whether what is written to one of them changes or replaces what the other one leads to.
  package func isSameFile(as other: FilePlace) -> Bool {
    isSameName(as: other) || file != nil && file == other.file
  }

  private var isDevice: Bool { file == nil && stat(of: path) != nil }
}
