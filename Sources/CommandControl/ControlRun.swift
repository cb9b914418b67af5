internal import DownloadCore
internal import DownloadJSON
internal import DownloadWords
internal import SwiftGet

/// `swiftget ctl` from its words to its exit status.
package enum ControlRun {
  /// - Parameter words: those after `ctl`.
  package static func run(_ words: [[UInt8]], in place: any ControlSurroundings) -> ControlStatus {
    do throws(ControlFailure) {
      switch try ControlCommandLine.parse(words) {
      case .help(let verb):
        _ = place.write(Array(ControlHelp.text(verb).utf8))
        return .done
      case .command(let line): return try perform(VerbContext(line: line, place: place))
      }
    } catch {
      place.tell(error.diagnostic)
      return error.status
    }
  }

  private static func perform(_ context: VerbContext) throws(ControlFailure) -> ControlStatus {
    // What is wrong with the words is told before a session is looked for.
    switch context.line.verb {
    case .list: return try ListVerb(context).perform()
    case .show: return try ShowVerb(context).perform()
    case .pause, .resume, .cancel, .remove, .retry, .move: return try ChangeVerb(context).perform()
    case .set: return try SetVerb(context).perform()
    case .limit: return try LimitVerb(context).perform()
    case .wait: return try WaitVerb(context).perform()
    case .watch: return try WatchVerb(context).perform()
    case .log: return try LogVerb(context).perform()
    case .export: return try ExportVerb(context).perform()
    case .status: return try SessionVerbs(context).status()
    case .stop: return try SessionVerbs(context).stop()
    case .sessions: return try SessionVerbs(context).list()
    // `Program` reads its command line as that of a download.
    case .add: throw ControlFailure(.usage, "ctl add is no command here")
    }
  }
}
