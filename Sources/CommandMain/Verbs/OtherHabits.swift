internal import CommandOptions
internal import DownloadCore
internal import DownloadWords

/// What means something else to curl than to swiftget, in a command line that is right for both.
struct OtherHabits {
  let invocation: Invocation
  /// Whether a program reads standard output.
  let isOutputPiped: Bool

  init(_ invocation: Invocation, isOutputPiped: Bool) {
    (self.invocation, self.isOutputPiped) = (invocation, isOutputPiped)
  }

  /// What the user is told before the run.
  var remarks: [Diagnostic] { [series, pipe].compactMap { $0 } }

  /// curl makes several URLs of one with braces or brackets.
  private var series: Diagnostic? {
    guard !invocation.lists.expandsGlobs, !invocation.display.isQuiet,
      let url = (invocation.lists.urls + [invocation.naming.output].compactMap { $0 }).first(where: Self.isSeries)
    else { return nil }
    return Diagnostic(
      message: "warning: \(Diagnostic.escaped(Redaction.url(url))): braces and brackets are taken as they are",
      hint: "--glob makes several URLs of one, as curl does")
  }

  private static func isSeries(_ url: [UInt8]) -> Bool { ((try? URLGlob(url))?.count ?? 1) > 1 }

  /// `curl -sSL URL | tar xz`: the content goes to standard output there.
  private var pipe: Diagnostic? {
    guard isOutputPiped, invocation.display.isSilentAsCurl, invocation.naming.output == nil,
      invocation.display.progress != .json, invocation.lists.urlCount == 1, invocation.lists.inputs.isEmpty
    else { return nil }
    return Diagnostic(
      message: "warning: the content goes to a file, and nothing to the pipe",
      hint: "-o - writes it to standard output")
  }
}
