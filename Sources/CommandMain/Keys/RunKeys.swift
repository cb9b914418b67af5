internal import DownloadCore
internal import DownloadWords

/// What keys mean during a run on a terminal.
///
///     idle ──l──► rate ──Return, Escape──► idle
///     idle ──s──► skipping ──any key──► idle
struct RunKeys {
  enum Action: Equatable {
    case pause, resume
    /// The most connections for one file.
    case connections(Int)
    /// Nil is unlimited.
    case rate(RateTimetable?)
    case skip(TaskID)
    /// As Ctrl-C: what is there is kept for the next run.
    case stop
    /// A line for the user.
    case tell(String)
  }

  private enum Mode: Equatable {
    case idle
    /// The text so far.
    case rate(String)
    case skipping(TaskID, name: String)
  }

  private var mode = Mode.idle
  private var isPaused = false
  private var connections: Int
  private let readRate: (String) -> Result<RateTimetable?, Failure>

  static let help =
    "keys: p pauses and resumes, + and - change the connections for a file, l limits the rate, s skips a file, "
    + "q stops and keeps what is there"
  private static let mostConnections = 256
  private static let longestText = 60

  /// - Parameters:
  ///   - connections: the most for one file at the start.
  ///   - readRate: understands what `--limit-rate` does.
  init(connections: Int, readRate: @escaping (String) -> Result<RateTimetable?, Failure>) {
    self.connections = connections
    self.readRate = readRate
  }

  /// What the last line of the display says; nil is no line.
  var prompt: String? {
    switch mode {
    case .rate(let text): "limit the rate to (such as 500k, or off): \(text)"
    case .skipping(_, let name): "skip \(name)? s does, any other key does not"
    case .idle: isPaused ? "paused; p resumes" : nil
    }
  }

  /// - Parameter active: the files of the display.
  mutating func typed(_ byte: UInt8, active: [FileProgress]) -> [Action] {
    switch mode {
    case .idle: return command(byte, active)
    case .skipping(let task, _):
      mode = .idle
      return byte == UInt8(ascii: "s") ? [.skip(task)] : []
    case .rate(let text): return edit(text, byte)
    }
  }

  private mutating func command(_ byte: UInt8, _ active: [FileProgress]) -> [Action] {
    switch Character(Unicode.Scalar(byte)) {
    case "p":
      isPaused.toggle()
      return [isPaused ? .pause : .resume]
    case "+": return limit(to: connections * 2)
    case "-": return limit(to: connections / 2)
    case "l": mode = .rate("")
    case "s":
      guard let file = active.first else { return [.tell("no file is active")] }
      mode = .skipping(file.task, name: Diagnostic.escaped(file.name))
    case "q": return [.stop]
    case "?", "h": return [.tell(Self.help)]
    default: break
    }
    return []
  }

  private mutating func limit(to count: Int) -> [Action] {
    connections = min(max(1, count), Self.mostConnections)
    return [.connections(connections), .tell("at most \(Humanized.count(connections, "connection")) for a file")]
  }

  private mutating func edit(_ text: String, _ byte: UInt8) -> [Action] {
    switch byte {
    case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
      mode = .idle
      if text.isEmpty { return [] }
      switch readRate(text) {
      case .success(let rate):
        return [.rate(rate), .tell(rate == nil ? "the rate is not limited" : "the rate is limited to \(text)")]
      case .failure(let error): return [.tell(error.message)]
      }
    case 0x1b: mode = .idle
    case 0x08, 0x7f: mode = .rate(String(text.dropLast()))
    // Ctrl-U.
    case 0x15: mode = .rate("")
    case 0x20..<0x7f where text.utf8.count < Self.longestText: mode = .rate(text + "\(Character(Unicode.Scalar(byte)))")
    default: break
    }
    return []
  }
}
