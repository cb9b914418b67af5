package import DownloadFiles
internal import Glibc

/// A file that is made under a name that nothing has.
package enum NewFile {
  package static func write(_ bytes: [UInt8], _ name: [UInt8], in directory: Int32, syncs: Bool) throws(SystemCallError)
  {
    let file = try SystemCalls.openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o666)
    try SystemCalls.pwriteAll(file.raw, bytes, at: 0)
    if syncs { try SystemCalls.fsync(file.raw) }
    try file.close()
  }
}
