package import DownloadCore

/// Answers whether a target, or a sidecar or part file of an earlier run beside it, exists.
///
/// For the first targets of a directory it asks the kernel. From `listingThreshold` on it reads the directory once and
/// answers from that listing, and reads it again when it is old. One thread.
///
/// A listing has names as the file system stores them. Where that ignores case, and of names that are not ASCII, whose
/// characters it may compose otherwise, only the kernel knows whether they exist.
package final class DirectorySnapshot {
  private var directory: DirectoryHandle?
  private var askedCount = 0
  private var listing: Listing?
  /// When the listing is too old.
  private var expiresAt = Instant.zero

  private struct Listing {
    var entryCount = 0
    /// Names of our own files, such as sidecars and part files.
    var leftovers: Set<[UInt8]> = []
    /// All names, as long as they are few.
    var all: Set<[UInt8]>? = []
  }

  /// Consecutive targets of one directory from which on its listing is read.
  private static let listingThreshold = 32
  /// A directory with more entries is not listed.
  private static let entryLimit = 200_000
  /// The most names kept besides leftovers; with more entries only leftovers are kept.
  private static let nameLimit = 4096

  /// Names that others create or remove are noticed this late. Reading a directory of 200,000 entries takes 0.1 s, of
  /// 4,000 entries 2 ms; the second value keeps that below 2 % of the time.
  private static let lifetime: (base: Duration, perEntry: Duration) = (.seconds(10), .microseconds(50))

  package init() {}

  /// What was read so far is out of date: other runs have created or removed names.
  package func forget() { directory = nil }

  /// Whether the listing shows that nothing has the target's name.
  /// - Returns: false where there is no listing.
  package func isAbsent(_ place: TargetPlace, now: Instant) -> Bool {
    listing(for: place, now: now)?.all.map { $0.isEmpty || !$0.contains(place.name) } ?? false
  }

  /// Whether there is a sidecar or a part file of the target.
  package func hasLeftovers(of place: TargetPlace, now: Instant) -> Bool {
    hasAny(of: [place.sidecarName, place.partName], beside: place, now)
  }

  /// Whether content with the target's name was set aside.
  package func hasRejected(of place: TargetPlace, now: Instant) -> Bool {
    hasAny(of: [place.rejectedName], beside: place, now)
  }

  /// - Parameter names: of files of ours; made only if there may be one.
  private func hasAny(of names: @autoclosure () -> [[UInt8]], beside place: TargetPlace, _ now: Instant) -> Bool {
    guard let listing = listing(for: place, now: now) else {
      return names().contains { (try? SystemCalls.fstatat(place.directory.raw, $0)) != nil }
    }
    return !listing.leftovers.isEmpty && names().contains(where: listing.leftovers.contains)
  }

  /// Nil where the kernel is to be asked.
  private func listing(for place: TargetPlace, now: Instant) -> Listing? {
    enter(place.directory, now: now)
    return place.name.allSatisfy { $0 < 0x80 } ? listing : nil
  }

  private func enter(_ next: DirectoryHandle, now: Instant) {
    if directory !== next {
      directory = next
      askedCount = 0
      listing = nil
    }
    askedCount += 1
    guard askedCount == Self.listingThreshold || (listing != nil && now >= expiresAt) else { return }
    listing = Self.read(next)
    expiresAt = now + Self.lifetime.base + Self.lifetime.perEntry * (listing?.entryCount ?? 0)
  }

  private static func read(_ directory: DirectoryHandle) -> Listing? {
    guard let stream = try? DirectoryStream([UInt8(ascii: ".")], in: directory.raw) else { return nil }
    var listing = Listing()
    var otherCase: (name: [UInt8], swapped: [UInt8])?
    do {
      while let name = try stream.next() {
        listing.entryCount += 1
        guard listing.entryCount < entryLimit else { return nil }
        if otherCase == nil { otherCase = AlikeNames.swappingCase(name).map { (name, $0) } }
        if TargetName.isReserved(name) { listing.leftovers.insert(name) }
        if listing.entryCount <= nameLimit { listing.all?.insert(name) } else { listing.all = nil }
      }
    } catch {
      return nil
    }
    if let (name, swapped) = otherCase, let other = try? SystemCalls.fstatat(directory.raw, swapped),
      (try? SystemCalls.fstatat(directory.raw, name))?.isSameFile(as: other) ?? true
    {
      return nil
    }
    return listing
  }
}
