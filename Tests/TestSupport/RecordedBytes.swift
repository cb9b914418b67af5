package import DownloadCore

/// The bytes that the sidecar of an unfinished file claims; none without a valid sidecar.
///
/// - Parameter path: the target's path.
package func recordedBytes(of path: String) -> ByteRangeSet {
  guard let bytes = try? readFile("\(path).swiftget"), case .record(let record) = SidecarReading(bytes).outcome else {
    return ByteRangeSet()
  }
  return record.written
}

/// The number of these bytes.
package func recordedByteCount(of path: String) -> Int64 { recordedBytes(of: path).byteCount }
