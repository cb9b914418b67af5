package import DownloadCore
internal import FileStore

/// The directory of a bag: which files are there. Follows no symbolic links below it.
package struct BagDirectory {
  /// A name beside the payload directory that is not itself a directory.
  package struct Entry: Hashable, Sendable {
    package let name: [UInt8]
    /// Nil for a regular file.
    package let obstacle: FileProblem.Obstacle?
  }

  private let path: [UInt8]
  private let directory: TargetDirectory

  /// - Parameter path: the user's path of it.
  package init(_ path: [UInt8]) throws(FileFailure) {
    self.path = path
    do { directory = try TargetDirectory.open(path: path, creating: false) } catch { throw FileFailure(error) }
  }

  /// What is in the directory itself, sorted by the bytes of the names.
  package func entries() throws(FileFailure) -> [Entry] {
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
    do { return BagPayload(try FileTree(opened.base)) } catch { throw FileFailure(error, in: BagPath.payload) }
  }

  /// Whether there is a regular file of this name.
  ///
  /// - Parameter name: relative to the bag, with slashes between components.
  package func holds(_ name: [UInt8]) -> Bool {
    let components = name.split(separator: UInt8(ascii: "/")).map(Array.init)
    guard let place = try? directory.resolve(components, creating: false) else { return false }
    return (try? SystemCalls.fstatat(place.directory.raw, place.name))?.kind == .regular
  }
}

/// What is below the payload directory of a bag.
package struct BagPayload: Hashable, Sendable {
  /// Names relative to the bag, also of symbolic links and special files.
  package let names: [[UInt8]]
  /// The lengths and the number of the regular files.
  package let oxum: PayloadOxum

  init(_ tree: FileTree) {
    let prefix = BagPath.payload + [UInt8(ascii: "/")]
    names = (tree.files.map(\.name) + tree.leftOut.map(\.name)).map { prefix + $0 }
    let byteCount = tree.files.reduce(into: Int64(0)) { sum, file in
      let (next, overflow) = sum.addingReportingOverflow(file.length)
      sum = overflow ? .max : next
    }
    oxum = PayloadOxum(byteCount: byteCount, fileCount: Int64(tree.files.count))
  }
}
