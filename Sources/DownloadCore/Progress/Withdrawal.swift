/// How an item was withdrawn from the run.
package enum Withdrawal: Sendable, Hashable {
  case cancelled
  case removed
}
