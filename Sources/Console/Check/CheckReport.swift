import DownloadCore
import LocalFiles

/// The lines of `--check`: a result for each file, in the form of `sha256sum -c`, and at the end how many are wrong.
struct CheckReport {
  private let isQuiet: Bool
  private let isVerbose: Bool
  private var counts = Counts()

  private struct Counts {
    var files = 0
    var different = 0
    var absent = 0
    var unreadable = 0
    var unverified = 0
    var unlisted = 0
    var contradictions = 0
  }

  /// What is printed for a file.
  struct Lines: Equatable {
    /// For standard output; empty if it is not printed.
    var result = ""
    /// For standard error.
    var reason: Diagnostic?
  }

  init(isQuiet: Bool, isVerbose: Bool) {
    self.isQuiet = isQuiet
    self.isVerbose = isVerbose
  }

  /// Counts a result.
  mutating func add(_ verdict: CheckVerdict, name: [UInt8], source: SourceLine?) -> Lines {
    counts.files += 1
    let place = source.map { " (\($0.text))" } ?? ""
    func reason(_ message: String, hint: String? = nil) -> Diagnostic {
      Diagnostic(name: name, message: message + place, hint: hint)
    }
    func line(_ result: String) -> String { "\(Diagnostic.escaped(name)): \(result)\n" }
    switch verdict {
    case .verified: return Lines(result: isQuiet ? "" : line("OK"))
    case .unverified:
      counts.unverified += 1
      return Lines(result: line("not verified"))
    case .differs(let difference):
      counts.different += 1
      return Lines(result: line("FAILED"), reason: isVerbose ? reason(LocalFileMessages.message(difference)) : nil)
    case .absent(let problem):
      counts.absent += 1
      return Lines(result: line("FAILED open or read"), reason: reason(LocalFileMessages.message(problem)))
    case .unreadable(let problem):
      counts.unreadable += 1
      return Lines(
        result: line("FAILED open or read"),
        reason: reason(LocalFileMessages.message(problem), hint: LocalFileMessages.hint(problem)))
    }
  }

  /// Counts what is wrong with a bag.
  mutating func add(_ finding: BagFinding) -> Lines {
    switch finding {
    case .unlisted(let name):
      counts.files += 1
      counts.unlisted += 1
      return Lines(result: "\(Diagnostic.escaped(name)): FAILED not listed\n")
    case .contradiction(let place, let contradiction):
      counts.contradictions += 1
      return Lines(reason: Diagnostic(message: "\(place): \(BagMessages.message(contradiction))"))
    }
  }

  /// Files that cannot be read come before wrong ones, as in every run.
  var status: ExitStatus {
    if counts.unreadable > 0 { return .localIO }
    let wrong = counts.different + counts.absent + counts.unverified + counts.unlisted + counts.contradictions
    return wrong > 0 ? .integrity : .success
  }

  /// What is wrong with how many files; empty if nothing is.
  var summary: [Diagnostic] {
    [
      (counts.different, "did not match"), (counts.absent, "missing"), (counts.unreadable, "could not be read"),
      (counts.unverified, "not verified"), (counts.unlisted, "in no manifest of the bag"),
    ].filter { $0.0 > 0 }.map { Diagnostic(message: "warning: \($0.0) of \(counts.files) files \($0.1)") }
  }
}
