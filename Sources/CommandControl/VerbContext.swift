internal import DownloadCore
internal import DownloadJSON
internal import DownloadWords
internal import SwiftGet

/// What verbs of `ctl` share: the command line, what surrounds the command, and the way to the session.
struct VerbContext {
  let line: ControlCommandLine
  let place: any ControlSurroundings

  /// The directory with the sessions' directories; nil is the usual one.
  var sessionDirectory: String? { line[.sessionDirectory] }

  /// Connects to the session that the command line or the environment names.
  func link() throws(ControlFailure) -> SessionLink {
    let link = try SessionLink(try finder())
    for loss in link.connection.losses { place.tell(loss) }
    return link
  }

  /// Finds the session that the command line or the environment names.
  func finder() throws(ControlFailure) -> SessionFinder {
    let named = place.environment("SWIFTGET_SESSION").flatMap { $0.isEmpty ? nil : $0 }
    return try SessionFinder(line[.session] ?? named ?? "default", in: sessionDirectory)
  }

  /// The terms of the words, with those on standard input in place of `-`.
  func terms(_ words: [String]) throws(ControlFailure) -> [DownloadSelector] {
    var terms: [DownloadSelector] = []
    for word in words {
      guard word == "-" else {
        terms += try SelectorWord.terms(word, in: place.workingDirectory)
        continue
      }
      guard let text = place.text(of: "-") else { throw ControlFailure(.usage, "standard input cannot be read") }
      for id in text.split(whereSeparator: \.isWhitespace) {
        guard let term = SelectorWord.task(String(id)) else {
          throw ControlFailure(.usage, "standard input: '\(id.prefix(40))' is neither an id nor a number")
        }
        terms.append(term)
      }
    }
    return terms
  }

  /// As `terms`; without any it is an error.
  func neededTerms(_ words: [String]) throws(ControlFailure) -> [DownloadSelector] {
    guard !words.isEmpty else {
      throw ControlFailure(
        .usage, "\(line.verb) needs to know which tasks",
        hint: "name them by number, id, file or URL, or by what they are, such as state:failed; @all means all")
    }
    return try terms(words)
  }

  /// Tells of terms that name nothing.
  ///
  /// - Returns: whether there are none.
  func tellUnknown(_ unknown: [String]) -> Bool {
    for term in unknown {
      let state = DownloadTaskState.Kind(rawValue: String(term.trimmingPrefix("glob:")))
      place.tell(
        Diagnostic(
          message: "\(Self.words(term)) is not in the session",
          hint: state.map { "to select by the state: state:\($0.rawValue)" }))
    }
    return unknown.isEmpty
  }

  /// The tasks that terms select, to be changed. Tells of terms that name nothing, and if nothing matches.
  ///
  /// - Returns: with the tasks whether each term names something.
  func selected(
    _ terms: [DownloadSelector], _ link: SessionLink
  ) throws(ControlFailure) -> (tasks: [TaskText], isComplete: Bool) {
    var tasks: [TaskText] = []
    let unknown = try link.pages(terms.map(\.text), fields: ["id", "number", "state", "path"]) {
      (page) throws(ControlFailure) in
      tasks += page.map(TaskText.init)
      return true
    }
    let isComplete = tellUnknown(unknown)
    if tasks.isEmpty, isComplete { place.tell(Diagnostic(message: "nothing matches")) }
    return (tasks, isComplete)
  }

  /// A term as a person would say it.
  private static func words(_ term: String) -> String {
    let parts = term.split(separator: ":", maxSplits: 1).map(String.init)
    guard parts.count == 2 else { return term }
    switch parts[0] {
    case "number", "id": return "task \(parts[1])"
    case "glob": return "a file '\(parts[1])'"
    case "path": return parts[1]
    case "url": return parts[1]
    default: return "\(parts[0]) '\(parts[1])'"
    }
  }

  func write(_ text: String) { _ = place.write(Array((text + "\n").utf8)) }
}
