package import DownloadCore
internal import DownloadFiles
internal import Glibc

/// Bytes that are in memory while they are few, and beyond that in an unnamed file.
final class TemporaryBytes: ByteStore {
  /// Where the file is made, and the first failure is told.
  private let stores: TemporaryStores
  private var file: FileDescriptor?
  /// Bytes that are not in the file, and where they begin.
  private var buffer: [UInt8] = []
  private var bufferOffset = 0

  /// Bytes that are written at a time.
  static let blockByteCount = 64 << 10

  init(_ stores: TemporaryStores) { self.stores = stores }

  var byteCount: Int { bufferOffset + buffer.count }

  var hasFailed: Bool { stores.failure != nil }

  func append(_ bytes: [UInt8]) {
    buffer += bytes
    if buffer.count >= (bufferOffset == 0 ? stores.memoryLimit : Self.blockByteCount) { flush() }
  }

  func read(_ range: Range<Int>) -> [UInt8] {
    if range.lowerBound >= bufferOffset {
      return Array(buffer[(range.lowerBound - bufferOffset)..<(range.upperBound - bufferOffset)])
    }
    if range.upperBound > bufferOffset { flush() }
    var bytes: [UInt8] = []
    perform(.read) { (file) throws(SystemCallError) in
      bytes = try SystemCalls.preadAll(file, limit: range.count, at: Int64(range.lowerBound))
      if bytes.count < range.count { throw SystemCallError(.pread, EIO) }
    }
    return hasFailed ? Array(repeating: 0, count: range.count) : bytes
  }

  func replace(at offset: Int, with bytes: [UInt8]) {
    if offset >= bufferOffset {
      let start = offset - bufferOffset
      buffer.replaceSubrange(start..<(start + bytes.count), with: bytes)
      return
    }
    if offset + bytes.count > bufferOffset { flush() }
    perform(.write) { (file) throws(SystemCallError) in try SystemCalls.pwriteAll(file, bytes, at: Int64(offset)) }
  }

  private func flush() {
    let isFirst = bufferOffset == 0
    if isFirst {
      do throws(SystemCallError) { file = try UnnamedFile.beside(stores.directory + Array("/swiftget".utf8)) } catch {
        stores.fail(.create, error)
      }
    }
    perform(.write) { (file) throws(SystemCallError) in
      try SystemCalls.pwriteAll(file, buffer, at: Int64(bufferOffset))
    }
    bufferOffset += buffer.count
    buffer.removeAll(keepingCapacity: !isFirst)
  }

  /// Does nothing after a failure.
  private func perform(_ operation: FileProblem.Operation, _ body: (Int32) throws(SystemCallError) -> Void) {
    guard !hasFailed, let raw = file?.raw else { return }
    do throws(SystemCallError) { try body(raw) } catch {
      stores.fail(operation, error)
    }
  }
}

extension TemporaryStores {
  package func make() -> any ByteStore { TemporaryBytes(self) }
}
