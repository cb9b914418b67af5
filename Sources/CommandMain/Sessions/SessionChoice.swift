internal import CommandControl
internal import CommandOptions
internal import DownloadScratch
internal import Glibc

/// The session of a command line.
struct SessionChoice {
  let name: String
  /// Absolute; nil is the usual place.
  let parent: String?

  /// Names the session where the command line does not.
  static let variable = "SWIFTGET_SESSION"
  private static let usualName = "default"

  /// The options that name it in a command.
  var options: String { "-S \(name)" + (parent.map { " --session-dir \($0)" } ?? "") }

  /// The words of `ctl add` as a command line of their own; nil if the words after `ctl` are no `add`.
  static func commandLine(ofAdd words: [[UInt8]]) -> [[UInt8]]? {
    guard let rest = ControlCommandLine.words(of: .add, in: words) else { return nil }
    // Later options count more than these.
    let name = SessionChoice(SessionOptions()).name
    return [Array("--session".utf8), Array(name.utf8)] + rest
  }

  init(_ options: SessionOptions) {
    let ofEnvironment = getenv(Self.variable).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    name = options.name.map { String(decoding: $0, as: UTF8.self) } ?? ofEnvironment ?? Self.usualName
    parent = options.directory.map { String(decoding: AbsolutePath.of(directory: $0), as: UTF8.self) }
  }
}
