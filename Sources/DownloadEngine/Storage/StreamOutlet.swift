internal import DownloadCore
internal import DownloadFiles

/// Writes to a stream without ever waiting for its reader.
///
/// Touched by the loop's thread only.
final class StreamOutlet {
  private let target: StreamTarget
  /// Bytes that the reader has not accepted yet, from `position` on.
  private var pending: [UInt8] = []
  private var position = 0

  init(_ target: StreamTarget) { self.target = target }

  /// The descriptor to watch for writability while the outlet is full.
  var descriptor: Int32 { target.descriptor }

  /// Whether bytes wait for the reader. Nothing more may be offered until `drain` has written them.
  var isFull: Bool { position < pending.count }

  /// Writes what the reader accepts now and keeps the rest.
  func offer(_ bytes: UnsafeRawBufferPointer) throws(SystemCallError) {
    assert(!isFull, "more was offered than the reader takes")
    let count = try target.writeAvailable(bytes)
    pending = Array(bytes[count...])
    position = 0
  }

  /// Takes back what was written.
  /// - Returns: false where that is not possible.
  func startOver() throws(SystemCallError) -> Bool {
    guard try target.startOver() else { return false }
    pending = []
    position = 0
    return true
  }

  /// Writes as many pending bytes as the reader accepts now.
  func drain() throws(SystemCallError) {
    var failure: SystemCallError?
    pending.withUnsafeBytes { bytes in
      do throws(SystemCallError) {
        position += try target.writeAvailable(UnsafeRawBufferPointer(rebasing: bytes[position...]))
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    guard !isFull else { return }
    pending = []
    position = 0
  }
}
