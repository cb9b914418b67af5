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
  /// Asks on the terminal. Nil if standard input and error are none.
  func confirms(_ question: String) -> Bool?
  /// The content of a file, or of standard input for `-`; nil if it cannot be read.
  func text(of path: String) -> String?
  func environment(_ name: String) -> String?
  /// Absolute.
  var workingDirectory: String { get }
}
