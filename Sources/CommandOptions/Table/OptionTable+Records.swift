internal import DownloadCore
internal import DownloadLists

extension OptionTable {
  /// What a run tells about itself in files, and when its failures end it.
  static let recordOptions: [OptionSpec] = [
    OptionSpec(
      id: .logFormat, long: "log-format", argument: .required("FORMAT"),
      values: .oneOf(LogOptions.Format.allCases.map(\.rawValue)),
      effect: .value(\.records.log.format) { try $0.choice() }, verbs: .everything, scope: .worker,
      needs: [.option(.log)],
      example: "swiftget -i urls.txt --log nightly.log --log-format json",
      group: .display, isHidden: true),
    OptionSpec(
      id: .report, long: "report", argument: .required("FILE"), values: .files,
      effect: .value(\.records.report) { try $0.recordPath() }, verbs: .downloads.union([.queue]), scope: .command,
      isOfOneRun: true,
      summary: "Write a JSON document about the run to this file",
      detail: """
        Write a JSON document with the exit status, the totals and the outcome of each file at the end of the run, \
        also after a signal. See REPORTS in `swiftget-output`(5).
        """,
      example: "swiftget -i urls.txt --report report.json",
      group: .display),
    OptionSpec(
      id: .maxFailures, long: "max-failures", argument: .required("N"),
      effect: .value(\.settings.limits.maxFailures) { try $0.failureLimit() }, verbs: .fetches, scope: .command,
      summary: "Stop the run after more than N, or N%, failures",
      detail: """
        Stop the run when more than *N* files have failed, or more than *N*`%` of all files, which is decided once \
        \(FailureLimit.leastEndedCount) files have ended. Active files are saved as after a signal. The exit status \
        is that of the failures. `off` is no limit.
        """,
      example: "swiftget --max-failures 5% -i urls.txt",
      group: .patience, defaultText: "off"),
  ]
}
