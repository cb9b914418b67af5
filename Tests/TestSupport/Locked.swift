import DownloadCore

/// A value and the lock that guards it, by reference, so that closures can share it.
package final class Locked<Value: Sendable>: Sendable {
  private let lock: Lock<Value>

  package init(_ value: Value) { lock = Lock(value) }

  package func withLock<Outcome: Sendable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Outcome
  ) throws(Failure) -> Outcome {
    try lock.withLock(body)
  }
}
