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

  /// Makes the report that options and terminal select.
  /// - Parameter terminal: nil where standard error is not a terminal with cursor movement.
  package func makeReport(standardOutput: Output, standardError: Output, terminal: Terminal?) -> any Report {
    if progress == .json {
      if writesToStandardOutput { return JSONReport(output: standardError, words: nil, directory: nil) }
      let words = LinesReport(output: standardError, level: min(reportLevel, .warnings))
      return JSONReport(output: standardOutput, words: words, directory: AbsolutePath.of(directory: directory ?? []))
    }
    if wantsBar, let terminal {
      return BarReport(output: standardError, terminal: terminal, level: reportLevel)
    }
    return LinesReport(output: standardError, level: reportLevel)
  }
}
