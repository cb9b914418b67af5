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

  init(_ options: SessionOptions) {
    let ofEnvironment = getenv(Self.variable).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    name = options.name.map { String(decoding: $0, as: UTF8.self) } ?? ofEnvironment ?? Self.usualName
    parent = options.directory.map { String(decoding: AbsolutePath.of(directory: $0), as: UTF8.self) }
  }
}
