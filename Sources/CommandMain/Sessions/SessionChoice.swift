internal import CommandControl
internal import CommandOptions
internal import DownloadCore
internal import DownloadFiles
internal import DownloadScratch
internal import DownloadWords
internal import Glibc
internal import SwiftGet

/// The session of a command line.
struct SessionChoice {
  let name: String
  /// Absolute; nil is the usual place.
  let parent: String?

  /// Names the session where the command line does not.
  static let variable = "SWIFTGET_SESSION"
  private static let usualName = "default"

  /// The options that name it in a command.
  var options: String { SessionWork.options(name, in: parent) }

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

  // MARK: Its options

  /// The file in which the session keeps options; nil if its name cannot be one.
  var optionsFile: [UInt8]? { (try? SessionPlace.path(of: name, in: parent)).map(SessionPlace.options) }

  /// Has the session keep options that the command line gives this process, which works on it.
  func keep(_ options: WorkerOptions?, _ messages: Messages) {
    guard let text = options?.kept, let file = optionsFile else { return }
    do throws(SystemCallError) { try PrivateFile.replace(file, with: text, syncs: true) } catch {
      messages.write(
        Diagnostic(
          message:
            "warning: session \(name) does not keep its options: cannot write \(NamedFiles.shown(file)): \(SystemMessages.reason(error.errno))",
          hint: "this process has them; give them to the next one again"))
    }
  }
}
