internal import CommandOptions
internal import DownloadCore
internal import DownloadEngine
internal import DownloadLists
internal import DownloadWords
internal import SwiftGet

/// Asks servers about all URLs (`--spider`).
struct Spider: Verb {
  var invocation: Invocation
  let context: RunContext
  let lists: RunLists

  func run() throws(Failure) -> RunResult {
    let messages = context.messages
    return try context.untilSignal { (signals, status) throws(Failure) in
      let display = SpiderDisplay(invocation.display, context.standardOutput, messages)
      var settings = invocation.settings
      settings.asksOnly = true
      let work = DownloadRun(
        MirrorSource(lists.list), to: try DownloadPlace(directory: []), settings,
        trustedOrigins: lists.findings.namedOrigins, descriptorLimit: ProcessSetup.raiseDescriptorLimit())
      display.began()
      let end = CommandLoop.run(work, display, signals, until: context.deadline)
      status.add(lists.findings.status, of: .lists)
      status.add(end.failureCodes, of: .items)
      status.signal = signals.ending
      let cookieError = CookieFiles.save(end.cookies, invocation.settings, hearing: signals)
      if let cookieError { status.add(cookieError, of: .cookies) }
      display.ended(status.status)
      if let error = end.stoppedBy { messages.write(Diagnostic(error)) }
      if let cookieError { messages.write(Diagnostic(cookieError)) }
      lists.tellWrongEntries(status.status, messages)
    }
  }
}
