package import DownloadCore
internal import DownloadFiles

/// The space that active files still need, and the file systems that were found to be full.
///
/// A file that does not fit fails alone. Nothing begins on a full file system any more.
struct SpaceAccount {
  private struct Claim {
    let length: Int64
    let device: UInt64?
  }

  /// After this time an engine that waits looks whether there is space again.
  static let recheckInterval = Duration.seconds(5)

  private var claims: [ItemHandle: Claim] = [:]
  private var full: Set<UInt64> = []
  /// What the first item that met a full file system failed with.
  private(set) var error: Failure?

  /// - Parameter directory: on the full file system; nil where a stream goes to it, which no other item does.
  mutating func filled(_ directory: DirectoryHandle?, _ error: Failure) {
    if let device = try? directory?.device { full.insert(device) }
    if self.error == nil { self.error = error }
  }

  func isFull(at place: TargetPlace) -> Bool {
    guard !full.isEmpty, let device = try? place.directory.device else { return false }
    return full.contains(device)
  }

  /// Reserves the space that the rest of a file needs, until `release`.
  ///
  /// - Parameters:
  ///   - length: of the whole file.
  ///   - done: bytes of an item that are written.
  /// - Returns: an error if there is not enough; `diskFull` if the file system has none left for anyone.
  mutating func claim(
    _ length: Int64, for item: ItemHandle, at place: TargetPlace, done: (ItemHandle) -> Int64
  ) -> Failure? {
    guard let free = FreeSpace(in: place.directory) else { return nil }
    let needed = length - done(item)
    guard needed > 0 else { return nil }
    if free.isExhausted { return Failure(.spaceExhausted(DiskSpace(free))) }
    let device = try? place.directory.device
    // Each claim fits, so the sum does not overflow.
    let claimed = claims.reduce(into: Int64(0)) { sum, claim in
      if claim.key != item, claim.value.device == device { sum += max(0, claim.value.length - done(claim.key)) }
    }
    guard needed > free.usableByteCount - claimed else {
      claims[item] = Claim(length: length, device: device)
      return nil
    }
    return Failure(.spaceShort(needed: needed, claimed: claimed, DiskSpace(free)))
  }

  mutating func release(_ item: ItemHandle) {
    if !claims.isEmpty { claims[item] = nil }
  }
}

extension DiskSpace {
  init(_ space: FreeSpace) { self.init(free: space.availableByteCount, reserve: space.reserve) }
}

extension Failure {
  /// Whether the disk has too little room, which may come: for anyone, or for this file beside the others.
  package var isOfSpace: Bool {
    if case .spaceShort = cause { true } else { code == .diskFull }
  }
}
