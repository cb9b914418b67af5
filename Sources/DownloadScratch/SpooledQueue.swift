internal import DownloadCore
internal import DownloadFiles
internal import Glibc

/// Texts on their way from one thread to another, in order. Few of them are in memory; more wait in an unnamed file, which
/// is made when it is needed.
package final class SpooledQueue: Sendable {
  private final class Spool: Sendable {
    let file: FileDescriptor
    init(_ file: consuming FileDescriptor) { self.file = file }
  }

  private struct State {
    /// Texts to be taken next, the last one first.
    var front: [[UInt8]] = []
    var spool: Spool?
    /// What of the file has not been read.
    var spooled: Range<Int64> = 0..<0
    /// The newest texts, as they are written to the file.
    var pending: [UInt8] = []
  }

  /// The file beside which the unnamed one is made.
  private let path: [UInt8]
  private let state = Lock(State())

  /// Bytes that are written, and read, at a time.
  static let blockByteCount = 64 << 10
  /// The length of a text, before its bytes.
  private static let lengthByteCount = 4

  /// - Parameter path: of any file in a directory that can be written to; nothing of that name is touched.
  package init(beside path: [UInt8]) { self.path = path }

  /// Adds a text of fewer than 2^31 bytes.
  ///
  /// - Throws: why the text cannot be stored. The others are still there.
  package func add(_ text: [UInt8]) throws(FileFailure) {
    do throws(SystemCallError) {
      try state.withLock { (state) throws(SystemCallError) in
        if state.pending.count >= Self.blockByteCount { try Self.spool(&state, beside: path) }
        withUnsafeBytes(of: UInt32(text.count)) { state.pending += $0 }
        state.pending += text
      }
    } catch {
      throw FileFailure(path, .failed(.write, errno: error.errno))
    }
  }

  /// The next text; nil where there is none.
  ///
  /// - Throws: why it cannot be read. All that were in the file are lost then.
  package func next() throws(FileFailure) -> [UInt8]? {
    do throws(SystemCallError) {
      return try state.withLock { (state) throws(SystemCallError) in
        if state.front.isEmpty { try Self.fillFront(&state) }
        return state.front.popLast()
      }
    } catch {
      throw FileFailure(path, .failed(.read, errno: error.errno))
    }
  }

  /// Memory that the texts take, in bytes.
  var memoryByteCount: Int { state.withLock { $0.pending.count + $0.front.reduce(0) { $0 + $1.count } } }

  private static func spool(_ state: inout State, beside path: [UInt8]) throws(SystemCallError) {
    if state.spool == nil { state.spool = Spool(try UnnamedFile.beside(path)) }
    guard let spool = state.spool else { return }
    try SystemCalls.pwriteAll(spool.file.raw, state.pending, at: state.spooled.upperBound)
    state.spooled = state.spooled.lowerBound..<state.spooled.upperBound + Int64(state.pending.count)
    state.pending.removeAll(keepingCapacity: true)
  }

  private static func fillFront(_ state: inout State) throws(SystemCallError) {
    if state.spooled.isEmpty {
      state.front = texts(state.pending[...]).texts.reversed()
      state.pending.removeAll(keepingCapacity: true)
      return
    }
    guard let file = state.spool?.file.raw else { return }
    let offset = state.spooled.lowerBound
    do throws(SystemCallError) {
      var limit = blockByteCount
      while state.front.isEmpty {
        let count = min(limit, state.spooled.count)
        let block = try SystemCalls.preadAll(file, limit: count, at: offset)
        let (found, byteCount) = texts(block[...])
        // A text may be longer than a block; the file never ends within one.
        if found.isEmpty, count == state.spooled.count { throw SystemCallError(.pread, EIO) }
        limit *= 2
        state.front = found.reversed()
        state.spooled = (offset + Int64(byteCount))..<state.spooled.upperBound
      }
      if state.spooled.isEmpty {
        // Its space is free again.
        try SystemCalls.ftruncate(file, length: 0)
        state.spooled = 0..<0
      }
    } catch {
      state.spooled = 0..<0
      throw error
    }
  }

  /// The whole texts at the beginning, and how many bytes they take.
  private static func texts(_ bytes: ArraySlice<UInt8>) -> (texts: [[UInt8]], byteCount: Int) {
    var texts: [[UInt8]] = []
    var left = bytes
    while left.count >= lengthByteCount {
      let length = left.prefix(lengthByteCount).withUnsafeBytes { Int($0.loadUnaligned(as: UInt32.self)) }
      guard left.count - lengthByteCount >= length else { break }
      left = left.dropFirst(lengthByteCount)
      texts.append(Array(left.prefix(length)))
      left = left.dropFirst(length)
    }
    return (texts, bytes.count - left.count)
  }
}
