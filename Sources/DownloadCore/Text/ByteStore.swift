/// Bytes that are too many to be held in memory, and are read again in parts.
///
/// Who makes it learns from it that bytes could not be written or read. What is read from then on means nothing.
package protocol ByteStore: AnyObject {
  var byteCount: Int { get }

  /// Whether bytes could not be written or read.
  var hasFailed: Bool { get }

  /// Adds bytes at the end.
  func append(_ bytes: [UInt8])

  /// - Parameter range: of bytes that are there.
  /// - Returns: as many bytes as the range has; zeros if the store has failed.
  func read(_ range: Range<Int>) -> [UInt8]

  /// Replaces bytes that are there.
  func replace(at offset: Int, with bytes: [UInt8])
}

/// Bytes in memory, where they are few.
final class MemoryBytes: ByteStore {
  private var bytes: [UInt8] = []

  var byteCount: Int { bytes.count }
  let hasFailed = false

  func append(_ bytes: [UInt8]) { self.bytes += bytes }

  func read(_ range: Range<Int>) -> [UInt8] { Array(bytes[range]) }

  func replace(at offset: Int, with bytes: [UInt8]) {
    self.bytes.replaceSubrange(offset..<(offset + bytes.count), with: bytes)
  }
}
