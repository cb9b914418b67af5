extension Invocation {
  package var reportLevel: ReportLevel {
    if isQuiet { return .failures }
    if verbosity > 0 { return .details }
    return progress == .none ? .warnings : .normal
  }

  /// What the log has, however silent the display is.
  var logLevel: ReportLevel { verbosity > 0 ? .details : .normal }

  /// Whether a terminal gets a live display.
  var wantsBar: Bool { (progress == .auto || progress == .bar) && reportLevel >= .normal }

  /// The absolute path that names are relative to, without a slash at its end; nil if the content goes to standard output.
  var targetDirectory: [UInt8]? { writesToStandardOutput ? nil : AbsolutePath.of(directory: directory ?? []) }

  /// Makes the report that options and terminal select.
  /// - Parameter terminal: nil where standard error is not a terminal with cursor movement.
  package func makeReport(
    standardOutput: Output, standardError: Output, terminal: Terminal?
  ) -> any Report {
    var style = Recap.Style(
      tellsIdleRuns: terminal != nil, suggestsFailedList: suggestsFailedList)
    if progress == .json {
      if writesToStandardOutput {
        return JSONReport(output: standardError, words: nil, directory: nil)
      }
      style.tellsIdleRuns = false
      let words = LinesReport(
        output: standardError, level: min(reportLevel, .warnings), style: style)
      return JSONReport(output: standardOutput, words: words, directory: targetDirectory)
    }
    if wantsBar, let terminal {
      return BarReport(output: standardError, terminal: terminal, level: reportLevel, style: style)
    }
    return LinesReport(output: standardError, level: reportLevel, style: style)
  }

  /// Whether a run that cannot name all failures points to `--failed`.
  var suggestsFailedList: Bool {
    failed == nil && output == nil && naming.template?.fields.contains(.number) != true
  }
}
