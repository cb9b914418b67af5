internal import CommandDisplay
internal import DownloadCore
internal import DownloadTransport
internal import DownloadWords
internal import Glibc

/// `ctl watch`: the session on the whole terminal, or as lines.
struct WatchVerb {
  private let run: VerbContext
  private let terms: [String]?

  /// A line of totals is printed this often while they change.
  private static let totalsInterval = Duration.seconds(10)

  init(_ run: VerbContext) throws(ControlFailure) {
    self.run = run
    let terms = try run.terms(run.line.operands)
    self.terms = terms.isEmpty ? nil : terms.map(\.text)
  }

  func perform() throws(ControlFailure) -> ControlStatus {
    let finder = try run.finder()
    let screen = run.line.has(.plain) ? nil : run.place.screen()
    let reader = WatchReader(finder, terms)
    try reader.start()
    defer { reader.end() }
    if let screen { return try show(reader, on: screen) }
    return try printLines(reader)
  }

  // MARK: The screen

  private func show(_ reader: WatchReader, on screen: any WatchScreen) throws(ControlFailure) -> ControlStatus {
    let terminal = screen.terminal
    let style = WatchStyle(isUnicode: terminal.isUnicode, hasColours: terminal.hasColours)
    let painter = ScreenPainter(terminal) { screen.write($0) }
    screen.begin(leave: painter.leave, enter: painter.enter)
    // Whatever comes, the shell gets its terminal back.
    defer { screen.end() }
    var view = WatchView()
    while true {
      if let failure = reader.failure { throw failure }
      let picture = reader.picture
      if let answer = reader.takeAnswer() { view.message = answer }
      view.adjust(to: picture)
      reader.choose(view.chosen)
      let size = terminal.size()
      painter.show(WatchFrame(size: size, style: style).lines(picture, view), size, ProgressSignal(picture))
      switch screen.wait(for: reader.news.descriptor) {
      case .ended(let signal): return .run(128 + signal)
      case .hungUp: return .done
      case .typed(let bytes):
        for key in WatchView.keys(bytes) {
          guard let action = view.typed(key, picture) else { continue }
          if action == .leave { return .done }
          reader.post(action)
        }
      case .somethingElse: reader.news.clear()
      }
    }
  }

  // MARK: Lines

  /// Prints totals, and ends as they come, until nobody reads them or a signal ends the process.
  private func printLines(_ reader: WatchReader) throws(ControlFailure) -> ControlStatus {
    var (last, note, totals): (Int64, String?, String) = (.min, nil, "")
    var nextTotals = Clock.now()
    while true {
      if let failure = reader.failure { throw failure }
      let picture = reader.picture
      var lines: [String] = []
      if picture.note != note {
        note = picture.note
        lines += [note].compactMap(\.self)
      }
      // Those from before are no news.
      if last == .min, picture.fileCount > 0 || picture.process != nil { last = picture.events.last?.number ?? 0 }
      if last != .min { lines += picture.events.filter { $0.number > last }.map(\.text) }
      last = max(last, picture.events.last?.number ?? last)
      let text = Self.totals(picture)
      let isDue = Clock.now() >= nextTotals || picture.rate == 0 && picture.count(of: "running") == 0
      if !picture.counts.isEmpty, text != totals, isDue {
        totals = text
        nextTotals = Clock.now() + Self.totalsInterval
        lines.append(text)
      }
      guard lines.isEmpty || run.place.write(Array((lines.joined(separator: "\n") + "\n").utf8)) else { return .done }
      var entry = pollfd(fd: reader.news.descriptor, events: Int16(POLLIN), revents: 0)
      _ = poll(&entry, 1, Int32(Self.totalsInterval.wholeMilliseconds))
      reader.news.clear()
    }
  }

  private static func totals(_ picture: WatchPicture) -> String {
    let states = picture.counts.filter { $0.count > 0 }.map { (name: $0.state, count: $0.count) }
    let line = TotalsText.line(picture.fileCount, states, bytes: picture.bytes, size: picture.size, rate: picture.rate)
    return "\(picture.session): \(line)" + (picture.isPaused ? ", paused" : "")
  }
}

extension ProgressSignal {
  /// Of a session on which a process works.
  fileprivate init(_ picture: WatchPicture) {
    let unsettled = picture.fileCount - WatchPicture.settledStates.reduce(0) { $0 + picture.count(of: $1) }
    guard picture.process != nil, unsettled > 0, let size = picture.size, size > 0 else {
      self = .none
      return
    }
    let percent = Int(Double(min(max(0, picture.bytes), size)) / Double(size) * 100)
    self = picture.count(of: "failed") > 0 ? .failing(percent) : .percent(percent)
  }
}
