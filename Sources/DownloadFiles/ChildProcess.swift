internal import CSwiftGetShims
package import DownloadCore
internal import Glibc

/// Why a program cannot be started, as in errno(3).
package struct ChildStartError: Error, Hashable, Sendable {
  package let errno: Int32
}

/// A running program that this process has started, with a process group of its own.
///
/// It inherits no other descriptor, no ignored signal and no mask; see `process_start`. One thread at a time.
package final class ChildProcess {
  private let identifier: Int32
  private let handle: FileDescriptor?
  /// Readable when the program has ended; nil where the system has no such descriptors.
  package let descriptor: Int32?

  /// - Parameters:
  ///   - output: of the program; nil is its standard error.
  ///   - descriptors: those that it gets with the numbers from 3 on.
  package init(
    _ command: ChildCommand, output: Int32? = nil, descriptors: [Int32] = []
  ) throws(ChildStartError) {
    let words = Self.joined(command.words)
    let variables = Self.joined(command.variables)
    let process = process_start(
      words, command.words.count, variables, command.variables.count, Self.joined([command.directory]),
      command.isSilent ? 1 : 0, output ?? -1, descriptors, descriptors.count)
    if process < 0 { throw ChildStartError(errno: Int32(truncatingIfNeeded: -process)) }
    identifier = Int32(truncatingIfNeeded: process)
    let opened = process_open(identifier)
    descriptor = opened < 0 ? nil : Int32(truncatingIfNeeded: opened)
    handle = opened < 0 ? nil : FileDescriptor(owning: Int32(truncatingIfNeeded: opened))
  }

  /// The strings, each with its NUL. Nothing of them may have one.
  private static func joined(_ strings: [[UInt8]]) -> [CChar] {
    strings.flatMap { $0.prefix { $0 != 0 }.map(CChar.init(bitPattern:)) + [0] }
  }

  /// Whether the program has ended.
  package var hasEnded: Bool { process_has_ended(identifier) != 0 }

  /// Asks the program and its children to end. Not after `reap`.
  package func askToEnd() { _ = process_signal(identifier, SIGTERM) }

  /// Ends the program and its children. Not after `reap`.
  package func kill() { _ = process_signal(identifier, SIGKILL) }

  /// Waits for the end of the program, and tells how it has ended. Once.
  package func reap() -> ChildEnd {
    let status = process_reap(identifier)
    // Nobody else waits for children of this process.
    if status < 0 { return .notStarted(errno: Int32(truncatingIfNeeded: -status)) }
    return status < 256
      ? .exited(status: Int32(truncatingIfNeeded: status)) : .killed(signal: Int32(truncatingIfNeeded: status - 256))
  }

  /// Waits until one of the descriptors is readable or, unless it is nil, for this time.
  package static func wait(for descriptors: [Int32], atMost time: Duration?) {
    // Rounded up, or the last millisecond would be spent without sleep.
    let milliseconds = time.map { max(0, $0.wholeNanoseconds / 1_000_000 + 1) } ?? -1
    process_wait(descriptors, descriptors.count, milliseconds)
  }
}
