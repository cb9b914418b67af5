@testable import DownloadCore

/// A store that fails after some calls, and returns zeros from then on.
final class FailingBytes: ByteStore {
  private let bytes = MemoryBytes()
  private var callsLeft: Int

  init(after callCount: Int) { callsLeft = callCount }

  var byteCount: Int { bytes.byteCount }
  var hasFailed: Bool { callsLeft <= 0 }

  func append(_ bytes: [UInt8]) {
    callsLeft -= 1
    self.bytes.append(bytes)
  }

  func read(_ range: Range<Int>) -> [UInt8] {
    callsLeft -= 1
    return hasFailed ? Array(repeating: 0, count: range.count) : bytes.read(range)
  }

  func replace(at offset: Int, with bytes: [UInt8]) {
    callsLeft -= 1
    self.bytes.replace(at: offset, with: bytes)
  }
}
