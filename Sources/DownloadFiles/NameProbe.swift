internal import DownloadCore
internal import Glibc

/// Asks a file system which names are one for it: many ignore case, and some how a character is composed.
///
/// Makes an empty directory in the one that is asked about, and removes it with this object.
package final class NameProbe {
  private let parent: OpenDirectory
  private let name: [UInt8]
  private let own: OpenDirectory
  /// Whether any two names are one.
  package private(set) var folds = false

  /// - Parameter path: of a directory.
  /// - Returns: nil where nothing can be made in it.
  package convenience init?(in path: [UInt8]) { self.init(SystemCalls.workingDirectory, path) }

  /// - Parameter directory: that is asked about.
  package convenience init?(in directory: DirectoryHandle) { self.init(directory.raw, [UInt8(ascii: ".")]) }

  private init?(_ start: Int32, _ path: [UInt8]) {
    guard let parent = try? OpenDirectory(start, path) else { return nil }
    let name = StoredName.temporary(
      of: Array("names".utf8), process: getpid(), number: 0, limit: TargetName.maximumByteCount)
    // One of a killed run with the same process id is of use, too.
    try? SystemCalls.mkdirat(parent.descriptor.raw, name, mode: FileMode.ownerDirectory)
    guard let own = try? OpenDirectory(parent.descriptor.raw, name, flags: O_NOFOLLOW) else { return nil }
    self.parent = parent
    self.name = name
    self.own = own
    folds = areOne(Array("a".utf8), Array("A".utf8)) || areOne(Array("\u{e9}".utf8), Array("e\u{301}".utf8))
  }

  deinit { try? SystemCalls.rmdirat(parent.descriptor.raw, name) }

  /// Whether the file system takes both names for one. False where it accepts one of them only.
  package func areOne(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    let directory = own.descriptor.raw
    let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW
    guard (try? SystemCalls.openat(directory, one, flags, mode: FileMode.ownerOnly)) != nil else { return false }
    defer { try? SystemCalls.unlinkat(directory, one) }
    return (try? SystemCalls.fstatat(directory, other)) != nil
  }

  /// The first names on two paths that differ, if the file system takes all of them for one.
  package func alikeNames(_ one: [UInt8], _ other: [UInt8]) -> (one: [UInt8], other: [UInt8])? {
    let slash = UInt8(ascii: "/")
    let (one, other) = (one.split(separator: slash), other.split(separator: slash))
    let different = zip(one, other).filter { $0 != $1 }.map { (Array($0), Array($1)) }
    return one.count == other.count && different.allSatisfy { areOne($0, $1) } ? different.first : nil
  }
}
