internal import CShims
internal import DownloadCore
internal import Glibc

/// Tells whether an earlier run left a sidecar or a part file beside a target: then the target is locked and looked
/// into before anything is fetched.
///
/// For a few targets it asks the kernel; for many in one directory it reads the directory once instead. One thread.
package final class Leftovers {
  private var directory: DirectoryHandle?
  private var askedCount = 0
  /// Names of sidecars and part files that stood in `directory`; nil while it has not been read.
  private var names: Set<[UInt8]>?

  /// Targets of one directory before it is read.
  private static let patience = 32
  /// A directory with more entries than this is not read.
  private static let entryLimit = 200_000

  package init() {}

  package func exist(at place: TargetPlace) -> Bool {
    let sidecar = TargetName.sidecarName(for: place.name)
    let part = TargetName.partName(for: place.name)
    if directory !== place.directory {
      directory = place.directory
      askedCount = 0
      names = nil
    }
    askedCount += 1
    if askedCount == Self.patience { names = Self.read(place.directory) }
    if let names { return !names.isEmpty && (names.contains(sidecar) || names.contains(part)) }
    return (try? SystemCalls.fstatat(place.directory.raw, sidecar)) != nil
      || (try? SystemCalls.fstatat(place.directory.raw, part)) != nil
  }

  private static func read(_ directory: DirectoryHandle) -> Set<[UInt8]>? {
    let descriptor = Glibc.openat(directory.raw, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    guard let stream = fdopendir(descriptor) else {
      Glibc.close(descriptor)
      return nil
    }
    defer { closedir(stream) }
    var names: Set<[UInt8]> = []
    var count = 0
    while let entry = readdir(stream) {
      count += 1
      guard count < entryLimit else { return nil }
      let found = withUnsafeBytes(of: &entry.pointee.d_name) { bytes -> [UInt8]? in
        let name = bytes[..<strnlen(bytes.baseAddress!.assumingMemoryBound(to: CChar.self), bytes.count)]
        let isOurs = TargetName.isReserved(name)
        return isOurs ? Array(name) : nil
      }
      if let found { names.insert(found) }
    }
    return names
  }
}
