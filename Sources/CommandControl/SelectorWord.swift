internal import CommandOptions
internal import SwiftGet

/// A word of the command line that selects tasks.
enum SelectorWord {
  /// The terms of a word, which are alternatives.
  ///
  /// - Parameter directory: the working directory, absolute, without a slash at its end.
  static func terms(_ word: String, in directory: String) throws(ControlFailure) -> [DownloadSelector] {
    if let task = task(word) { return [task] }
    if word == "@all" { return [.all] }
    if word.hasPrefix("@") {
      throw ControlFailure(.usage, "'\(word)' selects nothing", hint: "@all selects all tasks; ./\(word) is a file")
    }
    let isGlob = word.contains { "*?[\\".contains($0) }
    if let colon = word.firstIndex(of: ":"), !word[..<colon].contains("/") {
      let (kind, value) = (String(word[..<colon]), String(word[word.index(after: colon)...]))
      if value.hasPrefix("//") { return [.url(word)] }
      switch kind {
      case "path": return [.path(absolute(value, in: directory))]
      case "glob": return [.glob(value.contains("/") ? absolute(value, in: directory) : value)]
      case "error":
        if let status = Int32(value) {
          let codes = DownloadError.Code.allCases.filter { $0.exitStatus == status }
          if codes.isEmpty { throw ControlFailure(.usage, "'\(word)': no error has the exit status \(status)") }
          return codes.map { .error($0) }
        }
      default: break
      }
      do throws(DownloadError) { return [try DownloadSelector(word)] } catch {
        throw ControlFailure(.usage, "'\(word)' selects nothing", hint: hint(kind, value, word))
      }
    }
    if word.isEmpty { throw ControlFailure(.usage, "an empty word selects nothing") }
    if isGlob { return [.glob(word.contains("/") ? absolute(word, in: directory) : word)] }
    return [word.contains("/") ? .path(absolute(word, in: directory)) : .glob(word)]
  }

  /// A number or an id; nil for anything else.
  static func task(_ word: String) -> DownloadSelector? {
    if let id = DownloadTaskID(word) { return .id(id) }
    guard word.utf8.count < 16, word.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(word), number > 0
    else { return nil }
    return .number(number)
  }

  private static let kinds = ["id", "number", "key", "url", "host", "path", "glob", "state", "error", "group"]

  private static func hint(_ kind: String, _ value: String, _ word: String) -> String {
    switch kind {
    case "state":
      let states = DownloadTaskState.Kind.allCases.filter { $0 != .removed }.map(\.rawValue)
      let near = Suggestion.nearest(to: value, among: states)
      return near.map { "perhaps state:\($0) is meant" } ?? "states are \(states.joined(separator: ", "))"
    case "error": return "an error is an exit status or a name, such as error:9 or error:integrity"
    default:
      let near = Suggestion.nearest(to: kind, among: kinds)
      if let near, near != kind { return "perhaps \(near):\(value) is meant" }
      return "it is a number, an id, a name, @all, or one of \(kinds.map { $0 + ":" }.joined(separator: ", ")); "
        + "./\(word) is a file"
    }
  }

  /// Without `.`, `..` and repeated slashes.
  static func absolute(_ path: String, in directory: String) -> String {
    var parts: [Substring] = []
    for part in ((path.hasPrefix("/") ? "" : directory + "/") + path).split(separator: "/") where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return "/" + parts.joined(separator: "/")
  }
}
