internal import DownloadCore
internal import DownloadLists

extension OptionTable {
  /// What a run tells about itself in files, and when its failures end it.
  static let recordOptions: [OptionSpec] = [
    OptionSpec(
      id: .logFormat, long: "log-format", argument: .required("FORMAT"),
      values: .oneOf(LogOptions.Format.allCases.map(\.rawValue)),
      effect: .value(\.records.log.format) { try $0.choice() }, verbs: .files.subtracting([.queue]),
      needs: [.option(.log)],
      example: "swiftget -i urls.txt --log nightly.log --log-format json",
      group: .display, isHidden: true),
    OptionSpec(
      id: .report, long: "report", argument: .required("FILE"), values: .files,
      effect: .value(\.records.report) { try $0.recordPath() }, verbs: .downloads, isOfOneRun: true,
      summary: "Write a JSON document about the run to this file",
      detail: """
        At the end write *FILE*: a JSON document with the exit status, the sums, and for each file of the run what \
        became of it. It is also written after a signal, and replaced as a whole. See REPORTS.
        """,
      example: "swiftget -i urls.txt --report report.json",
      group: .display),
    OptionSpec(
      id: .maxFailures, long: "max-failures", argument: .required("N"),
      effect: .value(\.settings.limits.maxFailures) { try $0.failureLimit() },
      summary: "End the run when more than N files, or N%, have failed",
      detail: """
        End the run when more than *N* files have failed, or with *N*`%` more than this share of all files of the run, \
        which is judged once \(FailureLimit.leastEndedCount) files have ended. No further file begins then, and the \
        active ones are ended and saved as by a signal. The exit status is that of the failures; `--failed` and \
        `--report` list the rest as not finished or not started. `off` is no limit.
        """,
      example: "swiftget --max-failures 5% -i urls.txt",
      group: .patience, defaultText: "off"),
  ]
}
