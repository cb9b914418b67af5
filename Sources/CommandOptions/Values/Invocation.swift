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
  /// What reads lists.
  package static let lists = network.union([.check])
  static let everything = Set(FileWork.allCases)
}
