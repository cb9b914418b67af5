package import CommandDisplay
package import DownloadWords

/// What `swiftget ctl` has of its process.
package protocol ControlSurroundings: AnyObject {
  /// Writes to standard output.
  ///
  /// - Returns: false if nobody reads it any more, or it has failed.
  func write(_ bytes: [UInt8]) -> Bool
  /// Writes to standard error.
  func tell(_ diagnostic: Diagnostic)
  /// The columns of the terminal that standard output is; nil if it is none.
  var columns: Int? { get }
  /// Whether that shows other characters than those of ASCII.
  var isUnicode: Bool { get }
  /// The terminal for a display on the whole of it; nil if standard input and output are not both one.
  func screen() -> (any WatchScreen)?
  /// Asks on the terminal. Nil if standard input and error are none.
  func confirms(_ question: String) -> Bool?
  /// The content of a file, or of standard input for `-`; nil if it cannot be read.
  func text(of path: String) -> String?
  func environment(_ name: String) -> String?
  /// Absolute.
  var workingDirectory: String { get }
}

/// The terminal of `ctl watch`, with its keyboard and the signals of the process. The first thread only.
package protocol WatchScreen: AnyObject {
  var terminal: Terminal { get }

  /// Takes the keyboard and the signals.
  ///
  /// - Parameters:
  ///   - leave: gives the screen back: before the process stops, and at the end.
  ///   - enter: takes the screen: now, and when the process continues.
  func begin(leave: @escaping () -> Void, enter: @escaping () -> Void)

  /// Writes bytes to the terminal at once.
  func write(_ bytes: [UInt8])

  /// Waits until something happens, a quarter of a second at most.
  ///
  /// - Parameter descriptor: one that may become readable.
  func wait(for descriptor: Int32) -> WatchEvent

  /// Gives everything back.
  func end()
}

/// What ended a wait for `ctl watch`.
package enum WatchEvent {
  case typed([UInt8])
  /// A signal that ends the process.
  case ended(signal: Int32)
  /// The terminal is gone.
  case hungUp
  /// Time has passed, or there is news.
  case somethingElse
}
