internal import DownloadCore
internal import DownloadJSON
internal import DownloadWords
internal import SwiftGet

/// `swiftget ctl` from its words to its exit status.
package struct ControlRun {
  let line: ControlCommandLine
  let place: any ControlSurroundings

  /// - Parameter words: those after `ctl`.
  package static func run(_ words: [[UInt8]], in place: any ControlSurroundings) -> ControlStatus {
    do throws(ControlFailure) {
      switch try ControlCommandLine.parse(words) {
      case .help(let verb):
        _ = place.write(Array(ControlHelp.text(verb).utf8))
        return .done
      case .command(let line): return try ControlRun(line: line, place: place).perform()
      }
    } catch {
      place.tell(error.diagnostic)
      return error.status
    }
  }

  private func perform() throws(ControlFailure) -> ControlStatus {
    if line.verb == .sessions { return try listSessions() }
    // What is wrong with the words is told before a session is looked for.
    switch line.verb {
    case .list: return try ListVerb(self).perform()
    case .show: return try ShowVerb(self).perform()
    case .pause, .resume, .cancel, .remove, .retry, .move: return try ChangeVerb(self).perform()
    case .set: return try SetVerb(self).perform()
    case .limit: return try LimitVerb(self).perform()
    case .wait: return try WaitVerb(self).perform()
    case .export: return try ExportVerb(self).perform()
    case .status: return try status()
    case .stop: return try stop()
    case .sessions: return try listSessions()
    }
  }

  // MARK: What verbs share

  private var sessionDirectory: String? { line[.sessionDirectory] }

  /// Connects to the session that the command line or the environment names.
  func link() throws(ControlFailure) -> SessionLink {
    let named = place.environment("SWIFTGET_SESSION").flatMap { $0.isEmpty ? nil : $0 }
    return try SessionLink(try SessionFinder(line[.session] ?? named ?? "default", in: sessionDirectory))
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
    for term in unknown { place.tell(Diagnostic(message: "\(Self.words(term)) is not in the session")) }
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

  // MARK: Short verbs

  private func status() throws(ControlFailure) -> ControlStatus {
    let link = try link()
    defer { link.close() }
    let totals = try link.call("totals") { $0.add("select", ["@all"]) }
    let session = try link.call("session")
    let isPaused = session["paused"]?.boolean == true
    if line.has(.jsonObject) {
      var object = JSONObject()
      object.add("session", link.name)
      object.add("pid", link.worker)
      object.add("paused", isPaused)
      for (name, value) in totals.members { object.add(String(decoding: name, as: UTF8.self), verbatim: value.written) }
      _ = place.write(object.line)
      return .done
    }
    var parts = [TotalsText(totals).line]
    if isPaused { parts.append("paused") }
    parts.append(link.worker.map { "pid \($0)" } ?? "nobody works on it")
    write("\(link.name): \(parts.joined(separator: ", "))")
    return .done
  }

  private func listSessions() throws(ControlFailure) -> ControlStatus {
    let names = try SessionFinder.names(in: sessionDirectory)
    if line.has(.namesOnly) {
      if !names.isEmpty { write(names.joined(separator: "\n")) }
      return .done
    }
    var status = ControlStatus.done
    var objects: [[UInt8]] = []
    var lines: [[String]] = []
    for name in names {
      do throws(ControlFailure) {
        let link = try SessionLink(try SessionFinder(name, in: sessionDirectory))
        defer { link.close() }
        let totals = try link.call("totals") { $0.add("select", ["@all"]) }
        var object = JSONObject()
        object.add("session", name)
        object.add("pid", link.worker)
        for (name, value) in totals.members {
          object.add(String(decoding: name, as: UTF8.self), verbatim: value.written)
        }
        objects.append(object.text)
        lines.append([name, link.worker.map { "pid \($0)" } ?? "nobody", TotalsText(totals).line])
      } catch {
        place.tell(error.diagnostic)
        status = error.status
      }
    }
    if line.has(.jsonArray) {
      let comma = [UInt8(ascii: ","), UInt8(ascii: "\n")]
      _ = place.write([UInt8(ascii: "[")] + objects.joined(separator: comma) + Array("]\n".utf8))
    } else if place.columns == nil {
      write((["session\tworker\ttotals"] + lines.map { $0.joined(separator: "\t") }).joined(separator: "\n"))
    } else {
      for line in TextTable.fitted(lines) { write(line) }
    }
    return status
  }

  private func stop() throws(ControlFailure) -> ControlStatus {
    if line.has(.finish), line.has(.now) { throw ControlFailure(.usage, "--finish and --now exclude each other") }
    let link = try link()
    defer { link.close() }
    guard let worker = link.worker else {
      write("nobody works on session \(link.name)")
      return .done
    }
    let mode = line.has(.finish) ? "finish" : line.has(.now) ? "now" : "save"
    do throws(ControlFailure) {
      _ = try link.call("stop", isRepeatable: false) { $0.add("mode", mode) }
      if mode == "finish" {
        write("session \(link.name) ends when the files have ended that have begun (pid \(worker))")
        return .done
      }
      // The connection ends with the work.
      while try link.connection.news(within: .seconds(30)) != nil {}
      throw ControlFailure(.store, "the process that works on session \(link.name) (pid \(worker)) has not ended yet")
    } catch {
      // It is what was wanted.
      guard error.isLost else { throw error }
      write("session \(link.name) is stopped; its bytes are kept")
      return .done
    }
  }
}
