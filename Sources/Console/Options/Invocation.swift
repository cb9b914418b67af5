package import DownloadCore
import DownloadEngine
package import DownloadMetalink

/// A run as the command line describes it. Lists are not read and URLs not parsed yet.
package struct Invocation: Sendable, Equatable {
  package var settings = RunSettings()
  package var urls: [[UInt8]] = []
  /// Lists: paths, URLs or `-`.
  package var inputs: [[UInt8]] = []
  /// The name of a `ManifestFormat`; nil detects the format.
  package var inputFormat: String?
  /// `--columns`, `--url-template` and `--url-scheme`.
  package var columns = ColumnRules()
  /// `--metalink-language`, `--metalink-os` and `--metalink-location`.
  package var metalink = MetalinkPreferences()
  /// `--verify-signature` and `--signature`.
  package var signatures = SignatureOptions()
  package var baseURL: [UInt8]?
  package var directory: [UInt8]?
  /// The path of the file, `-` for standard output. Valid with exactly one URL only.
  package var output: [UInt8]?
  package var naming = TargetNaming()
  /// Which files of lists are wanted.
  package var filter = NameFilter()
  /// Whether wrong lines of lists are left out (`--keep-going`).
  package var keepsGoing = false
  /// The part of the run that is wanted (`--shard`); nil is all.
  package var shard: Shard?
  /// Leading directories of names in lists that are left out.
  package var strippedComponentCount = 0
  /// Whether any list may name places outside of the directory of the run (`--allow-absolute`).
  package var allowsAbsolute = false
  /// Whether braces and brackets in URLs mean several URLs.
  package var expandsGlobs = false
  /// Valid with exactly one URL only, like `mirrors`.
  package var checksums: [ContentDigest] = []
  package var mirrors: [[UInt8]] = []
  /// The files of `--load-cookies` and `--save-cookies`.
  package var loadedCookies: [UInt8]?
  package var savedCookies: [UInt8]?
  /// The lock file that the run writes (`--lock`).
  package var lock: [UInt8]?
  /// The lock file that names all that may be downloaded (`--frozen`).
  package var frozen: [UInt8]?
  /// The list of what did not end well, which the run writes (`--failed`).
  package var failed: [UInt8]?
  /// The document about the run, which it writes at its end (`--report`).
  package var report: [UInt8]?
  /// The configuration file that was read.
  var configuration: ConfigurationPlace?
  /// The options that the run has from there and from `SWIFTGET_OPTIONS`.
  var standing = StandingPlaces()
  /// The options that were given, where a report is to show them.
  package var options: [GivenOption] = []
  package var log = LogOptions()
  package var unattended = UnattendedSettings()
  /// When the run ends, whatever is left of it; nil is unlimited.
  var deadline: RunDeadline?
  package var work = Work.download
  /// What is written with `--write-manifest`.
  var manifest = ManifestOptions()
  /// Whether the files appear together, when all are there (`--atomic`).
  package var isAtomic = false
  /// Whether a set leaves out what earlier ones had and its list has no more.
  package var prunes = false
  /// Whether `--check` fails for files that cannot be verified (`--strict`).
  package var isStrict = false
  package var progress: ProgressStyle = .auto
  package var isQuiet = false
  /// The number of `-v`.
  package var verbosity = 0

  /// What is done with the files.
  package enum Work: Sendable, Hashable, CaseIterable {
    case download
    /// They are checked on this machine (`--check`).
    case check
    /// What a download would do with them is told (`--dry-run`).
    case plan
    /// Servers are asked about them (`--spider`).
    case ask
    /// A manifest of a directory is written (`--write-manifest`).
    case writeManifest

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

    var usesNetwork: Bool { self == .download || self == .ask }
  }

  package init() {}

  /// The URLs that a URL of the command line stands for.
  func glob(_ url: [UInt8]) throws(URLGlob.Problem) -> URLGlob {
    expandsGlobs ? try URLGlob(url) : URLGlob(plain: url)
  }

  /// Whether lists or their signatures are downloaded before the run.
  var fetchesInputs: Bool { (inputs + [signatures.signature].compactMap(\.self)).contains(where: TargetName.isURL) }

  /// Counts the time of `--deadline` from now on.
  mutating func setDeadline() { deadline = unattended.deadline.map(RunDeadline.init) }

  /// Whether the content goes to standard output, which nothing else may use then.
  package var writesToStandardOutput: Bool {
    output.map { $0 == Array("-".utf8) || $0 == Array("/dev/stdout".utf8) } ?? false
  }
}

extension Set<Invocation.Work> {
  /// Downloads and dry runs, which try the command line of one.
  static let downloads: Self = [.download, .plan]
  /// What asks servers.
  static let network = downloads.union([.ask])
  /// What reads lists.
  static let lists = network.union([.check])
  static let everything = Set(Invocation.Work.allCases)
}
