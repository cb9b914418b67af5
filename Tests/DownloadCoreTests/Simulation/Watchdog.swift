import Glibc
import Synchronization

@testable import DownloadCore

/// Ends the tests with a message if a call of a machine does not return.
///
/// The simulation's oracle sees what happens between calls. An endless loop within one would hang the tests without a
/// word.
final class Watchdog: Sendable {
  /// One simulated run. It beats before each of its events.
  final class Watch: Sendable {
    fileprivate let beats = Atomic<UInt64>(0)
    fileprivate let seed: UInt64

    fileprivate init(seed: UInt64) { self.seed = seed }

    func beat() { beats.wrappingAdd(1, ordering: .relaxed) }
  }

  static let shared = Watchdog()

  /// A call takes microseconds. This is long enough for a machine that does other things.
  private static let seconds: UInt32 = 120

  private let watches = Lock<[ObjectIdentifier: Watch]>([:])

  private init() {
    var thread = pthread_t()
    pthread_create(
      &thread, nil,
      { _ in
        while true { Watchdog.shared.look() }
      }, nil)
    pthread_detach(thread)
  }

  /// - Parameter seed: of the world that is played, for the message.
  func watch(seed: UInt64) -> Watch {
    let watch = Watch(seed: seed)
    watches.withLock { $0[ObjectIdentifier(watch)] = watch }
    return watch
  }

  func end(_ watch: Watch) { watches.withLock { $0[ObjectIdentifier(watch)] = nil } }

  private func look() {
    // Under the lock to the end: ThreadSanitizer does not see that the copies of a dictionary know each other.
    let before = watches.withLock { $0.mapValues { $0.beats.load(ordering: .relaxed) } }
    sleep(Self.seconds)
    let stuck = watches.withLock { now in
      now.first { before[$0.key] == $0.value.beats.load(ordering: .relaxed) }?.value.seed
    }
    if let stuck { fatalError("an event of a simulated run takes more than \(Self.seconds) seconds: seed \(stuck)") }
  }
}
