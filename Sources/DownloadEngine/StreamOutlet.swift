internal import DownloadCore
internal import FileStore

/// What goes to a stream, whose reader may be slow or stuck: never waits for it.
///
/// Touched by the loop's thread only.
final class StreamOutlet {
  private let target: StreamTarget
  /// What the reader has not taken yet, from `position` on.
  private var pending: [UInt8] = []
  private var position = 0

  init(_ target: StreamTarget) { self.target = target }

  /// To be watched while the outlet is full.
  var descriptor: Int32 { target.descriptor }

  /// Something waits for the reader: nothing more may be offered until `drain` has got rid of it.
  var isFull: Bool { position < pending.count }

  /// Takes all of `bytes`.
  func offer(_ bytes: UnsafeRawBufferPointer) throws(SystemCallError) {
    assert(!isFull, "more was offered than the reader takes")
    let count = try target.writeAvailable(bytes)
    pending = Array(bytes[count...])
    position = 0
  }

  /// Hands on what the reader takes now.
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
