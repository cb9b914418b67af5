import CSwiftGetShims
import Glibc

/// Hears when the last way to other machines is lost, and when one is there again. One thread uses it.
package final class NetworkWatch {
  package enum Change: Hashable, Sendable { case lost, returned }

  /// Readable after something has changed.
  package let descriptor: Int32
  private var isAvailable: Bool

  /// Nil if the system tells nothing, as in some sandboxes.
  package init?() {
    let made = network_watch()
    guard made >= 0 else { return nil }
    descriptor = Int32(made)
    isAvailable = network_is_available() != 0
  }

  deinit { close(descriptor) }

  /// What has become of the network since the last call.
  package func change() -> Change? {
    network_clear_watch(descriptor)
    let wasAvailable = isAvailable
    isAvailable = network_is_available() != 0
    return isAvailable == wasAvailable ? nil : isAvailable ? .returned : .lost
  }
}
