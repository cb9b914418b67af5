internal import CSwiftGetShims

/// An open descriptor with one owner. Closed with this value.
package struct FileDescriptor: ~Copyable, Sendable {
  /// The number, valid for the lifetime of this value.
  package let raw: Int32

  package init(owning raw: Int32) { self.raw = raw }

  /// Closes the descriptor and reports the error of close(2); NFS reports failed writes there.
  package consuming func close() throws(SystemCallError) {
    let raw = raw
    discard self
    try Self.close(raw)
  }

  private static func close(_ raw: Int32) throws(SystemCallError) {
    _ = try Interception.perform(.close, CallDetail(raw)) { file_close(raw) }
  }

  deinit {
    // A caller that needs the error calls `close()` or has synced before.
    try? Self.close(raw)
  }
}
