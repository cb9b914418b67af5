import DownloadCore

/// The number of bytes that the sidecar of an unfinished file claims; 0 without a valid sidecar.
///
/// - Parameter path: the target's path.
package func recordedByteCount(of path: String) -> Int64 {
  guard let bytes = try? readFile("\(path).swiftget"), case .record(let record) = SidecarReading(bytes).outcome else {
    return 0
  }
  return record.written.byteCount
}
