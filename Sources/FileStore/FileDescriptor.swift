/// An open descriptor with one owner, closed when the owner goes.
package struct FileDescriptor: ~Copyable, Sendable {
  /// The number, valid as long as this value lives; whoever keeps the number must keep the value too.
  package let raw: Int32

  package init(owning raw: Int32) { self.raw = raw }

  /// Closes and tells what close(2) says: NFS reports a failed write there.
  package consuming func close() throws(SystemCallError) {
    let raw = raw
    discard self
    try SystemCalls.close(raw)
  }

  deinit {
    // Nobody is left to tell; whoever needs the answer calls `close()` or has synced before.
    try? SystemCalls.close(raw)
  }
}
