internal import CommandChecking
internal import CommandOptions
internal import DownloadCore
internal import DownloadEvents
internal import DownloadHashing
internal import DownloadWords

/// The lines of `--check`: a result for each file, in the form of `sha256sum -c`, and at the end how many are wrong.
struct CheckDisplay {
  private let isQuiet: Bool
  private let isVerbose: Bool
  private let isStrict: Bool
  private var counts = Counts()

  private struct Counts {
    var files = 0
    var different = 0
    var absent = 0
    var unreadable = 0
    var unverifiable = 0
    var sizeOnly = 0
    var uncomparable = 0
    var unlisted = 0
    var contradictions = 0
  }

  /// What is printed for a file.
  struct CheckLines: Equatable {
    /// For standard output; empty if it is not printed.
    var result = ""
    /// For standard error.
    var reason: Diagnostic?
  }

  init(_ invocation: Invocation) {
    isQuiet = invocation.display.isQuiet
    isVerbose = invocation.display.verbosity > 0
    isStrict = invocation.isStrict
  }

  private var tellsUnverified: Bool { !isQuiet || isStrict }

  /// Files whose results are there.
  var fileCount: Int { counts.files }
  /// Those of them that are wrong, missing or unreadable.
  var failedCount: Int {
    counts.different + counts.absent + counts.unreadable + counts.unlisted + counts.uncomparable
      + (isStrict ? counts.unverifiable + counts.sizeOnly : 0)
  }

  /// Counts a result.
  package mutating func add(_ result: CheckResult, name: [UInt8], source: SourceLine?) -> CheckLines {
    counts.files += 1
    let place = source.map { " (\($0.text))" } ?? ""
    func reason(_ message: String, hint: String? = nil) -> Diagnostic {
      Diagnostic(name: name, message: message + place, hint: hint)
    }
    func line(_ result: String) -> String { "\(Diagnostic.escaped(name)): \(result)\n" }
    switch result {
    case .verified: return CheckLines(result: isQuiet ? "" : line("OK"))
    case .sizeOnly:
      counts.sizeOnly += 1
      return CheckLines(result: tellsUnverified ? line("size only") : "")
    case .unverified:
      counts.unverifiable += 1
      return CheckLines(result: tellsUnverified ? line("unverifiable") : "")
    case .uncomparable:
      counts.uncomparable += 1
      return CheckLines(result: line("unverifiable"), reason: reason(LocalFileMessages.uncomparable))
    case .differs(let difference):
      counts.different += 1
      return CheckLines(result: line("FAILED"), reason: isVerbose ? reason(LocalFileMessages.message(difference)) : nil)
    case .absent(let problem):
      counts.absent += 1
      return CheckLines(result: line("FAILED open or read"), reason: reason(LocalFileMessages.message(problem)))
    case .unreadable(let problem):
      counts.unreadable += 1
      return CheckLines(
        result: line("FAILED open or read"),
        reason: reason(LocalFileMessages.message(problem), hint: LocalFileMessages.hint(problem)))
    }
  }

  /// Counts what is wrong with a bag.
  mutating func add(_ finding: BagFinding) -> CheckLines {
    switch finding {
    case .unlisted(let name):
      counts.files += 1
      counts.unlisted += 1
      return CheckLines(result: "\(Diagnostic.escaped(name)): FAILED not listed\n")
    case .contradiction(let place, let contradiction):
      counts.contradictions += 1
      return CheckLines(reason: Diagnostic(message: "\(place): \(BagMessages.message(contradiction))"))
    }
  }

  /// One line of `--progress json`.
  package static func object(_ result: CheckResult, name: [UInt8], source: SourceLine?) -> JSONObject {
    var object = JSONObject(.check)
    object.add(.name, bytes: name)
    let (outcome, reason): (String, String?) =
      switch result {
      case .verified: ("ok", nil)
      case .sizeOnly: ("size_only", nil)
      case .unverified: ("unverifiable", nil)
      case .uncomparable: ("unverifiable", LocalFileMessages.uncomparable)
      case .differs(let difference): ("different", LocalFileMessages.message(difference))
      case .absent(let problem): ("missing", LocalFileMessages.message(problem))
      case .unreadable(let problem): ("unreadable", LocalFileMessages.message(problem))
      }
    object.add(.outcome, outcome)
    object.add(.reason, reason)
    object.add(source)
    return object
  }

  /// The same of a bag.
  static func object(_ finding: BagFinding) -> JSONObject {
    var object = JSONObject(.check)
    switch finding {
    case .unlisted(let name):
      object.add(.name, bytes: name)
      object.add(.outcome, "unlisted")
    case .contradiction(let place, let contradiction):
      object.add(.place, place)
      object.add(.outcome, "contradiction")
      object.add(.reason, BagMessages.message(contradiction))
    }
    return object
  }

  /// The last object of `--progress json`.
  func ending(after elapsed: Duration, _ status: ExitStatus) -> JSONObject {
    var object = JSONObject(.end)
    object.add(.status, Int64(status.rawValue))
    object.add(.seconds, elapsed)
    object.add(.sizeOnly, counts.sizeOnly)
    object.add(.checked, counts.files)
    object.add(.failed, failedCount)
    object.add(.unverifiable, counts.unverifiable + counts.uncomparable)
    return object
  }

  /// Files that cannot be read come before wrong ones, as in every run.
  var status: ExitStatus {
    if counts.unreadable > 0 { return .localIO }
    return failedCount + counts.contradictions > 0 ? .integrity : .success
  }

  /// What is wrong with how many files; empty if nothing is.
  var summary: [Diagnostic] {
    [
      (counts.different, "did not match"), (counts.absent, "missing"), (counts.unreadable, "could not be read"),
      (counts.uncomparable, "have checksums of unknown algorithms only"),
      (tellsUnverified ? counts.sizeOnly : 0, "have the right size, and no checksum to compare"),
      (tellsUnverified ? counts.unverifiable : 0, "cannot be verified"),
      (counts.unlisted, "in no manifest of the bag"),
    ].filter { $0.0 > 0 }.map { Diagnostic(message: "warning: \($0.0) of \(counts.files) files \($0.1)") }
  }
}
