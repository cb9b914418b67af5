package import CommandDisplay
internal import CommandOptions
internal import Glibc

extension DisplayOptions {
  var detailLevel: DetailLevel {
    if isQuiet { return .failures }
    if verbosity > 0 { return .details }
    return progress == .none ? .warnings : .normal
  }

  /// What the log has, however silent the display is.
  var logLevel: DetailLevel { verbosity > 0 ? .details : .normal }

  /// Whether a terminal gets a live display.
  var wantsBar: Bool { (progress == .auto || progress == .bar) && detailLevel >= .normal }
}

extension Invocation {
  /// Makes the display that options and terminal select.
  /// - Parameter terminal: nil where standard error is not a terminal with cursor movement.
  package func makeDisplay(
    standardOutput: Output, standardError: Output, terminal: Terminal?
  ) -> any Display {
    var style = Recap.Style(
      tellsIdleRuns: terminal != nil, suggestsRepetition: terminal != nil, suggestsFailedList: suggestsFailedList)
    if display.progress == .json {
      if naming.writesToStandardOutput {
        return JSONDisplay(output: standardError, words: nil, directory: nil)
      }
      style.tellsIdleRuns = false
      let words = LinesDisplay(
        output: standardError, level: min(display.detailLevel, .warnings), style: style)
      return JSONDisplay(output: standardOutput, words: words, directory: naming.targetDirectory)
    }
    if display.wantsBar, let terminal {
      return BarDisplay(output: standardError, terminal: terminal, level: display.detailLevel, style: style)
    }
    return LinesDisplay(output: standardError, level: display.detailLevel, style: style)
  }

  /// Whether a run that cannot name all failures points to `--failed`.
  var suggestsFailedList: Bool {
    records.failed == nil && naming.output == nil && naming.template?.placeholders.contains(.number) != true
      && naming.template?.columns.isEmpty != false
  }

  /// The display, and the log beside it.
  func makeDisplay(_ context: RunContext) -> any Display {
    let standardError = context.messages.standardError
    let display = makeDisplay(
      standardOutput: context.standardOutput, standardError: standardError,
      terminal: Terminal(descriptor: STDERR_FILENO, hasColours: self.display.colours.isGiven))
    guard let log = context.messages.log else { return display }
    log.failed = { [weak display] diagnostic in
      display?.willStop()
      standardError.write(diagnostic.text)
    }
    return LoggedDisplay(
      display: display, log: log, level: self.display.logLevel,
      style: Recap.Style(tellsIdleRuns: true, suggestsFailedList: suggestsFailedList),
      directory: naming.targetDirectory)
  }
}
