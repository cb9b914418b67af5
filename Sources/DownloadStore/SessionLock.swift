internal import DownloadFiles
internal import Glibc

/// Keeps other processes from a session while it lives.
///
/// The file stays when the lock is released: a lock on a file without a name would hold nobody up.
struct SessionLock: ~Copyable, Sendable {
  private let lock: FileLock

  static let name = Array("lock".utf8)
  private static let longestText = 8192

  private init(_ lock: consuming FileLock) { self.lock = lock }

  /// - Parameter directory: the session's.
  /// - Throws: `held` if another process works on the session.
  static func take(in directory: Int32) throws(StoreError) -> SessionLock {
    let lock: FileLock
    do throws(SystemCallError) {
      lock = try FileLock(
        taking: SystemCalls.openat(directory, name, O_RDWR | O_CREAT | O_NOFOLLOW, mode: FileMode.ownerOnly))
    } catch { throw error.errno == EWOULDBLOCK ? .held(holder(in: directory)) : .file(error) }
    // A session that was deleted meanwhile is another one.
    if lock.isHeld,
      (try? SystemCalls.fstatat(directory, name).inode) != (try? SystemCalls.fstat(lock.descriptor.raw).inode)
    {
      throw .held(nil)
    }
    // Without locks only one process at a time may look who it is.
    let claim = lock.isHeld ? nil : try Claim.take(in: directory)
    if !lock.isHeld, let holder = holder(in: directory), holder.process != .current, holder.mayWork {
      throw .held(holder)
    }
    let taken = SessionLock(lock)
    try taken.write(socket: nil)
    _ = consume claim
    return taken
  }

  /// A file that only one process can make.
  private struct Claim: ~Copyable {
    private let directory: Int32
    private static let name = Array("lock.claim".utf8)
    private static let longestSeconds: Int64 = 10

    static func take(in directory: Int32) throws(StoreError) -> Claim {
      do throws(SystemCallError) {
        if try make(in: directory) { return Claim(directory: directory) }
        // One that was killed in between has left it.
        let made = try SystemCalls.fstatat(directory, name).modified.seconds
        if abs(Int64(time(nil)) - made) > longestSeconds {
          try SystemCalls.unlinkat(directory, name)
          if try make(in: directory) { return Claim(directory: directory) }
        }
      } catch { throw .file(error) }
      throw .held(SessionLock.holder(in: directory))
    }

    /// - Returns: false if it is there.
    private static func make(in directory: Int32) throws(SystemCallError) -> Bool {
      do throws(SystemCallError) {
        _ = try SystemCalls.openat(directory, name, O_WRONLY | O_CREAT | O_EXCL, mode: FileMode.ownerOnly)
        return true
      } catch {
        if error.errno == EEXIST { return false }
        throw error
      }
    }

    deinit { try? SystemCalls.unlinkat(directory, Self.name) }
  }

  deinit {
    // Another host could not see that this process has ended.
    if !lock.isHeld { try? SystemCalls.ftruncate(lock.descriptor.raw, length: 0) }
  }

  /// Tells where this process listens.
  func write(socket: [UInt8]?) throws(StoreError) {
    let text = SessionHolder.current(socket: socket).text
    guard text.count <= Self.longestText else { throw .pathTooLong }
    do throws(SystemCallError) {
      try SystemCalls.pwriteAll(lock.descriptor.raw, text, at: 0)
      try SystemCalls.ftruncate(lock.descriptor.raw, length: Int64(text.count))
    } catch { throw .file(error) }
  }

  /// The process that has written the lock file last; nil if there is none, or it is just writing.
  static func holder(in directory: Int32) -> SessionHolder? {
    guard let file = try? SystemCalls.openat(directory, name, O_RDONLY | O_NOFOLLOW),
      let text = try? SystemCalls.preadAll(file.raw, limit: longestText, at: 0)
    else { return nil }
    return SessionHolder(text: text)
  }
}
