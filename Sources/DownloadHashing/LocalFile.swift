package import DownloadCore
package import DownloadFiles
package import DownloadScratch
internal import Glibc

/// A regular file that is open for reading, with its status of that moment.
///
/// It is looked up where a download would put it: below the target directory through real directories only, or at the
/// user's own path. A symbolic link in the file's place is no file.
package struct LocalFile: ~Copyable {
  package let descriptor: FileDescriptor
  package let status: FileStatus

  package init(_ target: TargetChoice, in directory: TargetDirectory) throws(FileProblem) {
    let place = try Self.place(of: target, in: directory)
    let opened = try Self.opened(place)
    let found = try Self.status(of: opened)
    switch found.kind {
    case .regular: break
    case .directory: throw .obstacle(.directory)
    case .symbolicLink: throw .obstacle(.symbolicLink)
    case .special: throw .obstacle(.special)
    }
    descriptor = opened
    status = found
  }

  /// - Parameter length: of what was read.
  /// - Throws: `changed` where the file is not the one that was opened.
  package func requireUnchanged(length: Int64) throws(FileProblem) {
    let now: FileStatus
    do { now = try SystemCalls.fstat(descriptor.raw) } catch { throw .failed(.read, errno: error.errno) }
    guard now.size == length, now.size == status.size, now.modified == status.modified else { throw .changed }
  }

  private static func opened(_ place: TargetPlace) throws(FileProblem) -> FileDescriptor {
    do {
      // A pipe without a writer does not keep the call waiting.
      return try SystemCalls.openat(place.directory.raw, place.name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    } catch {
      throw problem(error)
    }
  }

  private static func status(of descriptor: borrowing FileDescriptor) throws(FileProblem) -> FileStatus {
    do { return try SystemCalls.fstat(descriptor.raw) } catch { throw .failed(.open, errno: error.errno) }
  }

  private static func place(
    of target: TargetChoice, in directory: TargetDirectory
  ) throws(FileProblem) -> TargetPlace {
    do throws(DirectoryError) {
      switch target {
      case .listed(let components): return try directory.resolve(components, creating: false)
      case .path(let path): return try TargetDirectory.place(userPath: path, relativeTo: directory, creating: false)
      case .standardOutput, .inherited, .descriptor: throw DirectoryError([], SystemCallError(.openat, EINVAL))
      }
    } catch {
      switch error.cause.errno {
      case ENOENT, ENOTDIR: throw .missing
      case ELOOP: throw .obstacle(.symbolicLink)
      case EISDIR: throw .obstacle(.directory)
      default: throw .failed(.open, errno: error.cause.errno)
      }
    }
  }

  private static func problem(_ error: SystemCallError) -> FileProblem {
    switch error.errno {
    case ENOENT: .missing
    case ELOOP: .obstacle(.symbolicLink)
    // A socket.
    case ENXIO: .obstacle(.special)
    default: .failed(.open, errno: error.errno)
    }
  }
}
