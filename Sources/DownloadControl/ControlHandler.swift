/// Identifies a client as long as its server lives.
package struct ControlClientID: Hashable, Sendable {
  package let number: UInt64
}

/// What a server asks of the session that it serves. All calls come on the server's thread, and none may wait.
package protocol ControlHandler: AnyObject, Sendable {
  /// - Parameter answer: to be called once, on any thread, with the JSON text of the result.
  func called(
    _ request: ControlRequest, by client: ControlClientID,
    answer: @escaping @Sendable (Result<[UInt8], ControlError>) -> Void)
  /// The client missed news and reads again.
  func missedNews(_ client: ControlClientID)
  func left(_ client: ControlClientID)
  /// The server listens at another place from now on.
  func moved(to socket: ControlSocket)
}

extension ControlHandler {
  package func moved(to socket: ControlSocket) {}
}
