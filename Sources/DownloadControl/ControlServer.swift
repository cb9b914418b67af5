package import DownloadCore
internal import DownloadEngine
package import DownloadFiles
internal import DownloadTransport
internal import Glibc

/// Serves a session on a Unix socket: JSON-RPC 2.0, one object a line.
///
/// It has a thread of its own, on which a client that sends nonsense, dies, floods or does not read holds nobody up.
package final class ControlServer: Sendable {
  private let orders = Mailbox<ControlLoop.Order>()
  private let hasEnded = Wakeup()

  /// Listens, and serves until `stop`.
  ///
  /// - Parameters:
  ///   - socket: made, made again if somebody removes it, and removed at the end.
  ///   - other: in its place if it cannot be made again, because its directory is gone: that of a user's sockets is removed
  ///     when the user logs out.
  ///   - generation: no other process that has worked on the session has the same one.
  ///   - session: its directory, which clients are told.
  /// - Throws: as `ControlSocket.listen`; EAGAIN if the system has no more threads.
  package init(
    at socket: ControlSocket, or other: ControlSocket? = nil, program: String, generation: Int64,
    session: [UInt8]? = nil, handler: any ControlHandler
  ) throws(SystemCallError) {
    try start(socket.listen(), [socket] + (other.map { [$0] } ?? []), program, generation, session, handler)
  }

  /// Serves on a socket that was passed to this process, which is neither made nor removed.
  package init(
    inherited listening: consuming FileDescriptor, program: String, generation: Int64, session: [UInt8]? = nil,
    handler: any ControlHandler
  ) throws(SystemCallError) {
    try start(listening, [], program, generation, session, handler)
  }

  private func start(
    _ listening: consuming FileDescriptor, _ places: [ControlSocket], _ program: String, _ generation: Int64,
    _ session: [UInt8]?, _ handler: any ControlHandler
  ) throws(SystemCallError) {
    let greeting = Conversation.Greeting(
      program: program, process: ProcessStamp.current.process, generation: generation, session: session)
    let loop = try ControlLoop(listening, places, greeting, orders, handler)
    let thread = WorkerThread { [hasEnded] in
      loop.run()
      hasEnded.signal()
    }
    guard thread != nil else { throw SystemCallError(.openat, EAGAIN) }
  }

  /// Tells clients what they have not asked for. It may be lost for one that does not read: then `missedNews` comes.
  package func tell(_ clients: [ControlClientID], _ method: String, _ parameters: JSONObject) {
    orders.post(.tell(clients, line: ControlReply.line(news: method, parameters)))
  }

  /// Closes all connections, and returns when the thread has ended.
  package func stop() {
    orders.post(.stop)
    hasEnded.wait()
    // For whoever stops it once more.
    hasEnded.signal()
  }
}
