internal import CShims
internal import DownloadCore
internal import Glibc

/// Tells what stands at and beside a target before anything is fetched: the target itself, and a sidecar or a part file
/// that an earlier run left, which mean that the target is locked and looked into first.
///
/// For a few targets it asks the kernel; for many in one directory it reads the directory once instead. One thread.
package final class Surroundings {
  private var directory: DirectoryHandle?
  private var askedCount = 0
  private var listing: Listing?

  private struct Listing {
    /// Names of sidecars and part files.
    var leftovers: Set<[UInt8]> = []
    /// All names, as long as they are few.
    var all: Set<[UInt8]>? = []
  }

  /// Targets of one directory before it is read.
  private static let patience = 32
  /// A directory with more entries than this is not read to its end.
  private static let entryLimit = 200_000
  /// More names than this are not kept.
  private static let nameLimit = 4096

  package init() {}

  /// Whether nothing has the target's name.
  /// - Returns: false also where only a closer look could tell.
  package func isAbsent(_ place: TargetPlace) -> Bool {
    enter(place.directory)
    return listing?.all.map { !$0.contains(place.name) } ?? false
  }

  /// Whether a sidecar or a part file stands beside the target.
  package func holdLeftovers(of place: TargetPlace) -> Bool {
    enter(place.directory)
    if let listing, listing.leftovers.isEmpty { return false }
    let sidecar = TargetName.sidecarName(for: place.name)
    let part = TargetName.partName(for: place.name)
    if let listing { return listing.leftovers.contains(sidecar) || listing.leftovers.contains(part) }
    return (try? SystemCalls.fstatat(place.directory.raw, sidecar)) != nil
      || (try? SystemCalls.fstatat(place.directory.raw, part)) != nil
  }

  private func enter(_ next: DirectoryHandle) {
    if directory !== next {
      directory = next
      askedCount = 0
      listing = nil
    }
    askedCount += 1
    if askedCount == Self.patience { listing = Self.read(next) }
  }

  private static func read(_ directory: DirectoryHandle) -> Listing? {
    let descriptor = Glibc.openat(directory.raw, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    guard let stream = fdopendir(descriptor) else {
      Glibc.close(descriptor)
      return nil
    }
    defer { closedir(stream) }
    var listing = Listing()
    var count = 0
    while let entry = readdir(stream) {
      count += 1
      guard count < entryLimit else { return nil }
      withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        let name = bytes[..<strnlen(bytes.baseAddress!.assumingMemoryBound(to: CChar.self), bytes.count)]
        if TargetName.isReserved(name) { listing.leftovers.insert(Array(name)) }
        if count <= nameLimit { listing.all?.insert(Array(name)) } else { listing.all = nil }
      }
    }
    return listing
  }
}
