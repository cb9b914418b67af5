package import DownloadCore

/// The bars of a run from frame to frame: what they remember of earlier progress, and their columns.
package struct LiveBars {
  private let showsConnections: Bool
  private var forecast = Forecast()
  private var silences = Silences()
  private var columns = StickyColumns()
  private var lastFrame: Duration?

  /// At most five frames per second.
  private static let frameInterval = Duration.milliseconds(200)

  /// - Parameter showsConnections: false where there is no network.
  package init(showsConnections: Bool = true) { self.showsConnections = showsConnections }

  /// Shows progress, unless the last frame is too young.
  ///
  /// - Parameters:
  ///   - itemCount: nil if it is not known.
  ///   - prompt: the last line.
  package mutating func show(
    _ progress: RunProgress, itemCount: Int?, prompt: String?, on terminal: Terminal, by painter: FramePainter
  ) {
    if let lastFrame, progress.elapsed - lastFrame < Self.frameInterval { return }
    lastFrame = progress.elapsed
    forecast.update(progress, itemCount: itemCount)
    silences.update(progress)
    let size = terminal.size()
    // No active file: the run is ending, or every file exists already.
    let isIdle = showsConnections && progress.active.isEmpty && progress.downloadedCount + progress.failedCount == 0
    let signal = ProgressSignal(progress, itemCount: itemCount)
    if isIdle, prompt == nil { return painter.show([], size, signal) }
    let frame = BarFrame(
      size: size, isUnicode: terminal.isUnicode, hasColours: terminal.hasColours, showsConnections: showsConnections,
      prompt: prompt)
    let nameWidth = columns.nameWidth(frame.nameWidth(of: progress), at: size)
    let lines = frame.lines(
      progress, itemCount: itemCount, forecast: forecast, silences: silences, nameWidth: nameWidth)
    painter.show(lines, size, signal)
  }
}

/// What keeps its width from frame to frame.
private struct StickyColumns {
  private var size: Terminal.Size?
  private var widestName = 0

  /// The width of the column of names: it grows with wider names, and shrinks only with the terminal.
  mutating func nameWidth(_ wanted: Int, at size: Terminal.Size) -> Int {
    if size.columns != self.size?.columns { widestName = 0 }
    self.size = size
    widestName = max(widestName, wanted)
    return widestName
  }
}
