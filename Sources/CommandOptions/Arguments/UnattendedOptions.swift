internal import DownloadCore
internal import DownloadWords

extension OptionArgument {
  /// A command that is run without a shell.
  func command() throws(Failure) -> CommandWords {
    do throws(CommandWords.Problem) { return try CommandWords(text: bytes) } catch {
      // The command may hold secrets.
      switch error {
      case .empty: throw Failure(.usage, "\(spelling): the command is empty")
      case .unclosed(let mark):
        throw Failure(
          .usage, "\(spelling): a \(Character(Unicode.Scalar(mark))) has no counterpart",
          hint: "the command is split into words as by a shell")
      case .shellSyntax(let byte):
        let shown = Diagnostic.escaped([byte])
        throw Failure(
          .usage, "\(spelling): '\(shown)' needs a shell, and no shell runs the command",
          hint: "use sh -c 'SCRIPT', or put the character in quotation marks")
      }
    }
  }

  /// A span, or a time of day; nil for 0, which is no limit.
  func deadline() throws(Failure) -> DeadlineChoice? {
    guard bytes.contains(UInt8(ascii: ":")) else {
      let span = try runDuration()
      return span == .zero ? nil : .span(span)
    }
    guard let time = TimeOfDay(text: bytes) else {
      throw refused("is not a time of day", hint: "from 00:00 to 23:59; or a span such as 90m or 2h")
    }
    return .timeOfDay(time)
  }

  /// A time that concerns the whole run, up to a year.
  func runDuration() throws(Failure) -> Duration { try duration(in: .zero...Self.year) }

  private static let year = Duration.seconds(86_400 * 365)

  /// A status that no failure has; nil for 0, that of other runs.
  func changedExit() throws(Failure) -> Int32? {
    let number = Int32(try count(in: 0...255))
    if number == 0 { return nil }
    guard !ExitStatus.fixed.contains(where: { $0.rawValue == number }) else {
      throw refused("has another meaning", hint: "choose a status that swiftget does not use, such as 10")
    }
    return number
  }
}
