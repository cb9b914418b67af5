internal import CommandDisplay
internal import CommandOptions
internal import DownloadCore
internal import DownloadEvents
internal import Glibc

/// What a terminal, or a reader of `--progress json`, sees of a check while it lasts.
final class CheckProgress {
  /// The time between two looks at the numbers.
  static let interval = Duration.milliseconds(250)
  /// Looks over which the rate is a mean.
  private static let rateSpan = 12

  private enum Kind {
    case bar(BarDisplay)
    /// Objects, on standard output.
    case json
    case none
  }

  /// How far the check is.
  struct Numbers {
    var files = 0
    var failed = 0
    /// Bytes that were read.
    var byteCount: Int64 = 0
  }

  private let display: Kind
  private let itemCount: Int?
  private let start = ContinuousClock.now
  private var samples: [(time: Duration, byteCount: Int64)] = [(.zero, 0)]

  /// - Parameter terminal: of standard error; nil where it is none.
  init(_ invocation: Invocation, itemCount: Int?, _ standardError: Output, terminal: Terminal?) {
    self.itemCount = itemCount
    let wantsBar = invocation.display.progress == .auto || invocation.display.progress == .bar
    if invocation.display.progress == .json {
      display = .json
    } else if wantsBar, let terminal, invocation.display.detailLevel >= .normal {
      display = .bar(
        BarDisplay(
          output: standardError, terminal: terminal, level: invocation.display.detailLevel, showsConnections: false))
    } else {
      display = .none
    }
  }

  var isJSON: Bool { if case .json = display { true } else { false } }

  /// Whether what is written to the terminal has to wait for the next look, so that the display does not flicker.
  var isLive: Bool { if case .bar = display { true } else { false } }

  /// How long the next look may be waited for; nil where nobody looks.
  var patience: Duration? { if case .none = display { nil } else { Self.interval } }

  var elapsed: Duration { ContinuousClock.now - start }

  /// Whether it is time for the next look.
  var isDue: Bool { patience.map { elapsed - (samples.last?.time ?? .zero) >= $0 } ?? false }

  /// Removes the live display, which returns with the next look.
  func willWrite() { if case .bar(let bar) = display { bar.willStop() } }

  /// The first object.
  var beginning: JSONObject { JSONObject(startOf: itemCount) }

  /// Shows the numbers.
  ///
  /// - Returns: an object for standard output, where that is what is wanted.
  func look(_ numbers: Numbers) -> JSONObject? {
    let elapsed = elapsed
    samples.append((elapsed, numbers.byteCount))
    if samples.count > Self.rateSpan { samples.removeFirst() }
    let seconds = max((elapsed - samples[0].time).inSeconds, 0.001)
    let rate = Double(numbers.byteCount - samples[0].byteCount) / seconds
    switch display {
    case .none: return nil
    case .json:
      var object = JSONObject(.progress)
      object.add(.seconds, elapsed)
      object.add(.files, itemCount.map(Int64.init))
      object.add(.checked, numbers.files)
      object.add(.failed, numbers.failed)
      object.add(.bytesRead, numbers.byteCount)
      object.add(.rate, Int64(rate))
      return object
    case .bar(let bar):
      var progress = RunProgress()
      progress.itemCount = itemCount
      progress.downloadedCount = numbers.files - numbers.failed
      progress.failedCount = numbers.failed
      progress.doneByteCount = numbers.byteCount
      progress.elapsed = elapsed
      progress.rate = rate
      bar.progressed(progress)
      return nil
    }
  }
}
