internal import CommandControl
internal import CommandDisplay
internal import DownloadLists
internal import DownloadWords
internal import Glibc

/// What `swiftget ctl` has of this process.
final class ControlPlace: ControlSurroundings {
  private let output: Output
  private let standardError: Output

  /// Answers are short, and so are lists of header lines.
  private static let longestText = 16 << 20

  private init(_ output: Output, _ standardError: Output) {
    (self.output, self.standardError) = (output, standardError)
  }

  /// Runs `swiftget ctl`.
  ///
  /// - Parameter words: those after `ctl`.
  static func run(_ words: [[UInt8]], _ standardError: Output) -> RunResult {
    let output = Output.standardOutput()
    let place = ControlPlace(output, standardError)
    let status = ControlRun.run(words, in: place)
    // Who reads the beginning of a text only, as by head, has what is wanted.
    guard let error = output.failed, error != EPIPE else { return RunResult(control: status.rawValue) }
    place.tell(Diagnostic(message: RunContext.reason(error)))
    return RunResult(.localIO)
  }

  func write(_ bytes: [UInt8]) -> Bool {
    output.write(bytes)
    return output.failed == nil
  }

  func tell(_ diagnostic: Diagnostic) { standardError.write(diagnostic.text) }

  private let terminal = Terminal(descriptor: STDOUT_FILENO)
  var columns: Int? { terminal?.size().columns }
  var isUnicode: Bool { terminal?.isUnicode ?? false }

  func screen() -> (any WatchScreen)? { terminal.flatMap { TerminalScreen($0, output) } }

  func confirms(_ question: String) -> Bool? {
    guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else { return nil }
    standardError.write(question)
    guard let answer = readLine() else { return false }
    return ["y", "yes"].contains(answer.lowercased())
  }

  func text(of path: String) -> String? {
    let isInput = path == "-"
    let descriptor = isInput ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { if !isInput { close(descriptor) } }
    let text = try? SmallFiles.read(descriptor: descriptor, mostBytes: Self.longestText)
    return text.flatMap { String(validating: $0, as: UTF8.self) }
  }

  func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

  var workingDirectory: String {
    guard let path = getcwd(nil, 0) else { return "/" }
    defer { free(path) }
    return String(cString: path)
  }
}
