internal import CommandOptions
internal import DownloadCore
internal import DownloadEngine
internal import DownloadLists
internal import DownloadWords

/// Asks servers about all URLs (`--spider`).
struct Spider: Verb {
  var invocation: Invocation
  let context: RunContext
  let lists: RunLists

  func run() throws(Failure) -> RunResult {
    let messages = context.messages
    return try context.untilSignal { (signals, status) throws(Failure) in
      let report = SpiderReport(invocation.display, context.standardOutput, messages)
      var settings = invocation.settings
      settings.asksOnly = true
      let engine = Engine(
        settings: settings, place: try DownloadPlace(directory: []), trustedOrigins: lists.findings.namedOrigins,
        source: MirrorSource(lists.list), descriptorLimit: ProcessSetup.raiseDescriptorLimit())
      report.began()
      let end = CommandLoop.run(engine, report, signals, until: context.deadline)
      status.add(lists.findings.status, of: .lists)
      status.add(end.failureCodes, of: .items)
      status.signal = signals.ending
      let cookieError = CookieFiles.save(end.cookies, invocation.settings, hearing: signals)
      if let cookieError { status.add(cookieError, of: .cookies) }
      report.ended(status.status)
      if let error = end.stoppedBy { messages.write(Diagnostic(error)) }
      if let cookieError { messages.write(Diagnostic(cookieError)) }
      lists.tellWrongEntries(status.status, messages)
    }
  }
}
