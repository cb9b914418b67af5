package import DownloadCore
internal import DownloadEngine
internal import DownloadFiles
internal import DownloadHashing
package import DownloadScratch

/// The directory of a bag: which files are there. Follows no symbolic links below it.
package struct BagDirectory {
  /// A name beside the payload directory that is not itself a directory.
  struct Entry: Hashable, Sendable {
    let name: [UInt8]
    /// Nil for a regular file.
    let obstacle: FileProblem.Obstacle?
  }

  private let path: [UInt8]
  private let directory: TargetDirectory

  /// - Parameter path: the user's path of it.
  package init(_ path: [UInt8]) throws(FileFailure) {
    self.path = path
    do { directory = try TargetDirectory.open(path: path, creating: false) } catch { throw FileFailure(error) }
  }

  /// What is in the directory itself, sorted by the bytes of the names.
  func entries() throws(FileFailure) -> [Entry] {
    do throws(SystemCallError) {
      var entries: [Entry] = []
      for name in try FileTree.names(in: directory.base) {
        switch try SystemCalls.fstatat(directory.base.raw, name).kind {
        case .regular: entries.append(Entry(name: name, obstacle: nil))
        case .symbolicLink: entries.append(Entry(name: name, obstacle: .symbolicLink))
        case .special: entries.append(Entry(name: name, obstacle: .special))
        case .directory: break
        }
      }
      return entries
    } catch {
      throw FileFailure(path, .failed(.list, errno: error.errno))
    }
  }

  /// What is below the payload directory; nil if there is none.
  package func payload() throws(FileFailure) -> BagPayload? {
    guard (try? SystemCalls.fstatat(directory.base.raw, BagPath.payload))?.kind == .directory else { return nil }
    let opened: TargetDirectory
    do {
      opened = try TargetDirectory.open(path: BagPath.payload, relativeTo: directory, creating: false)
    } catch {
      throw FileFailure(error)
    }
    do { return BagPayload(try FileWalk(opened.base)) } catch { throw FileFailure(error, in: BagPath.payload) }
  }

  /// Compares a file with its digests. Returns when the whole file is hashed.
  ///
  /// - Parameter name: relative to the bag, with slashes between components.
  func result(on name: [UInt8], _ digests: [ContentDigest]) -> CheckResult {
    let components = name.split(separator: UInt8(ascii: "/")).map(Array.init)
    let request = FileRequest(task: TaskID(position: 0), mirrors: [], target: .listed(components), digests: digests)
    let hasher = FileHasher(directory: directory, isStopped: StopFlag())
    return CheckResult(request, hasher.hash(CheckResult.job(number: 0, request)).result)
  }

  /// Whether there is a regular file of this name.
  ///
  /// - Parameter name: relative to the bag, with slashes between components.
  func hasFile(_ name: [UInt8]) -> Bool {
    let components = name.split(separator: UInt8(ascii: "/")).map(Array.init)
    guard let place = try? directory.resolve(components, creating: false) else { return false }
    return (try? SystemCalls.fstatat(place.directory.raw, place.name))?.kind == .regular
  }
}

/// What is below the payload directory of a bag, one file after the other, in no order.
package struct BagPayload {
  /// A regular file, or a symbolic link or special file.
  package struct Entry: Hashable, Sendable {
    /// Relative to the bag.
    package let name: [UInt8]
    package let isRegular: Bool
  }

  private var walk: FileWalk
  /// The lengths and the number of the regular files so far.
  package private(set) var oxum = PayloadOxum(byteCount: 0, fileCount: 0)

  private static let prefix = BagPath.payload + [UInt8(ascii: "/")]

  init(_ walk: FileWalk) { self.walk = walk }

  /// - Returns: nil at the end.
  package mutating func next() throws(FileFailure) -> Entry? {
    let entry: FileWalk.Entry?
    do { entry = try walk.next() } catch { throw FileFailure(error, in: BagPath.payload) }
    switch entry {
    case nil: return nil
    case .leftOut(let other): return Entry(name: Self.prefix + other.name, isRegular: false)
    case .file(let file):
      let (byteCount, overflow) = oxum.byteCount.addingReportingOverflow(file.length)
      oxum.byteCount = overflow ? .max : byteCount
      oxum.fileCount += 1
      return Entry(name: Self.prefix + file.name, isRegular: true)
    }
  }
}
