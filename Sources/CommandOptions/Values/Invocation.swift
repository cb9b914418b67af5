package import DownloadCore
package import DownloadEvents
internal import DownloadListWriting
package import DownloadLists

/// A run as the command line describes it. Lists are not read and URLs not parsed yet.
package struct Invocation: Sendable, Equatable {
  package var settings = RunSettings()
  package var lists = ListOptions()
  package var naming = NamingOptions()
  package var records = RecordPaths()
  package var display = DisplayOptions()
  package var unattended = UnattendedSettings()
  package var work = FileWork.download
  package var session = SessionOptions()
  /// What the process has of the options that works on a session; nil for a run without one.
  package var worker: WorkerOptions?
  /// What is written with `--write-manifest`.
  var manifest = ManifestOptions()
  /// Whether `--check` fails for files that cannot be verified (`--strict`).
  package var isStrict = false
  /// The file of `--load-cookies`.
  package var loadedCookies: [UInt8]?
  /// The options that the run has from the configuration file and from `SWIFTGET_OPTIONS`.
  package var standing = StandingPlaces()
  /// The options that were given, where a report is to show them.
  package var options: [GivenOption] = []

  package init() {}
}

extension Invocation {
  /// Takes the hooks of the command line for the files that it adds: they run in whatever process works on the session, and
  /// not for other files. Those of the configuration stay with that process.
  package mutating func giveHooksToTasks() {
    for (event, option) in [(HookEvent.complete, OptionID.onComplete), (.failure, .onFailure)]
    where !standing.have(option) {
      unattended.hooksOfTasks[event] = unattended.hooks.removeValue(forKey: event)
    }
    worker = worker?.without([.onComplete, .onFailure])
  }
}

/// What `--session` and the options beside it say.
package struct SessionOptions: Sendable, Equatable {
  /// Nil is that of `SWIFTGET_SESSION`, or `default`.
  package var name: [UInt8]?
  /// Has the directories of sessions; nil is the usual one.
  package var directory: [UInt8]?
  package var isInBackground = false
  /// Of the tasks that are added; nil is `main`.
  package var group: String?
  /// Of the tasks that are added, -100 to 100.
  package var priority = 0
  /// Whether the tasks that are added wait until they are resumed.
  package var isPaused = false
  /// Whether `serve` ends once all tasks have settled, and nothing more comes on standard input.
  package var endsWhenSettled = false

  package init() {}
}

/// What options say that, with a session, concern the process that works on it.
package final class WorkerOptions: Sendable, Equatable {
  /// Those of the files of all tasks. What belongs to a task is not in them, nor what the session has of its own.
  package let settings: RunSettings
  private let given: [Given]
  /// The file in which the session keeps options, if the command line changes it.
  package let kept: [UInt8]?

  /// An option of the command line.
  struct Given: Sendable, Hashable {
    let id: OptionID
    /// With its dashes; nil if the session keeps the same option already.
    let name: String?
    /// Has the same meaning on another command line.
    let word: [UInt8]
  }

  init(_ settings: RunSettings, _ given: [Given], kept: [UInt8]?) {
    (self.settings, self.given, self.kept) = (settings, given, kept)
  }

  /// The options of the command line that say anything else than those that the session keeps, with their dashes.
  package var names: [String] {
    var names: [String] = []
    for name in given.compactMap(\.name) where !names.contains(name) { names.append(name) }
    return names
  }

  /// The options of the command line as words of another one.
  package var words: [[UInt8]] { given.map(\.word) }

  /// What is left if these options mean the tasks that are added.
  fileprivate func without(_ ids: Set<OptionID>) -> WorkerOptions {
    WorkerOptions(settings, given.filter { !ids.contains($0.id) }, kept: kept)
  }

  package static func == (left: WorkerOptions, right: WorkerOptions) -> Bool {
    left.settings == right.settings && left.words == right.words && left.kept == right.kept
  }
}

/// What `--write-manifest`, `--algorithm` and `--in-place` say.
package struct ManifestOptions: Sendable, Equatable {
  var format: WrittenFormat?
  /// Nil for the usual ones.
  var algorithms: [DigestAlgorithm]?
  /// Whether the directory becomes the bag.
  var isInPlace = false
}

extension FileWork {
  /// The option that asks for it; nil for a download.
  package var option: OptionID? {
    switch self {
    case .download: nil
    case .serve: .serve
    case .queue: .session
    case .check: .check
    case .plan: .dryRun
    case .ask: .spider
    case .writeManifest: .writeManifest
    }
  }
}

extension Set<FileWork> {
  /// Downloads and dry runs, which try the command line of one.
  package static let downloads: Self = [.download, .plan]
  /// What asks servers.
  package static let network = downloads.union([.ask])
  /// What decides how a file is fetched.
  static let fetches = network.union([.queue])
  /// What reads lists.
  package static let lists = fetches.union([.check])
  /// What decides how a process fetches all of its files.
  static let workers = fetches.union([.serve])
  /// What decides how a process stores all of its files.
  static let storing = downloads.union([.queue, .serve])
  /// What has files that the command line names.
  static let files = everything.subtracting([.serve])
  static let everything = Set(FileWork.allCases)
}
