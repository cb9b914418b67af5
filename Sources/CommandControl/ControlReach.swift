internal import DownloadCore
internal import SwiftGet

/// What a command is about.
enum ControlReach: Equatable {
  case selection([DownloadSelector])
  /// The flag of a group.
  case group(String)
  /// The session itself: its flag, or its settings.
  case session

  /// - Parameter terms: not empty.
  init(_ terms: [DownloadSelector], for verb: ControlVerb.VerbName) {
    let isFlag = verb == .pause || verb == .resume
    let isAlone = Set(terms).count == 1
    if isFlag, isAlone {
      switch terms[0] {
      case .all:
        self = .session
        return
      case .group(let name):
        self = .group(name)
        return
      default: break
      }
    }
    // Beside others `@all` says nothing.
    var terms = terms.contains { $0 != .all } ? terms.filter { $0 != .all } : [.all]
    let isOfScope = terms.allSatisfy { term in
      switch term {
      case .all, .group: true
      default: false
      }
    }
    // All tasks, or those of groups: what has settled is left alone.
    if isOfScope, [.cancel, .move, .set].contains(verb) { terms += Self.unsettled }
    self = .selection(terms)
  }

  private static let unsettled = DownloadTaskState.Kind.allCases.filter { !$0.isSettled }.map {
    DownloadSelector.state($0)
  }

  func add(to parameters: inout JSONObject) {
    switch self {
    case .selection(let terms): parameters.add("select", terms.map(\.text))
    case .group(let name): parameters.add("group", name)
    case .session: parameters.add("session", true)
    }
  }
}
