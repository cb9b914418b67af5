internal import DownloadCore
internal import Glibc

/// What decides, besides the command line and the working directory, which files a run wants and how it verifies them:
/// lists, manifests, signatures, keys, lock files, configurations, and variables of the environment.
///
/// Whatever reads such a file, or looks whether it is there, notes it here before. If a later run of the same command finds
/// all of them as they were, it wants the same files. Files that only decide who asks are not noted: netrc files, cookies
/// and certificates.
package final class DecidingInputs: Sendable {
  private enum Kind: UInt8 {
    case file = 0x66
    case variable = 0x76
  }

  /// An input as it was at one moment.
  private struct State {
    /// Equal for equal inputs.
    let text: [UInt8]
    /// The second of the last change of a file; nil for what is not there.
    var changedAt: Int64?
  }

  private struct Noted {
    /// The kind, the name and a zero for each input, in the order in which they were noted.
    var names: [UInt8] = []
    var known: Set<[UInt8]> = []
    /// Of all texts, so that it depends on names and states.
    var hash = StableHash.seed
    var isComparable = true
    var lastChange = Int64.min
  }

  /// Memory does not grow with a list: more inputs are too many to compare.
  private static let mostInputs = 1000
  private let noted = Lock(Noted())
  private let environment: Environment

  package init(_ environment: Environment = .process) { self.environment = environment }

  // MARK: Noting

  /// Notes a file or a directory, which need not be there. Call it before the file is opened: a change that comes
  /// between the two makes a difference to the state that is noted.
  package func note(file path: [UInt8]) { note(.file, path) }

  /// The environment. Each variable that is looked up is noted.
  package var noting: Environment {
    Environment { [self] name in
      note(variable: name)
      return environment.value(name)
    }
  }

  package func note(variable name: String) { note(.variable, Array(name.utf8)) }

  /// Notes that something else decides, which cannot be compared later: a pipe, a server, the time of day.
  func noteOther() { noted.withLock { $0.isComparable = false } }

  private func note(_ kind: Kind, _ name: [UInt8]) {
    let state = state(kind, name)
    noted.withLock { noted in
      let text = [kind.rawValue] + name + [0]
      guard noted.known.count < Self.mostInputs, let state else {
        noted.isComparable = false
        return
      }
      guard noted.known.insert(text).inserted else { return }
      noted.names += text
      noted.hash = Self.hash(text, state, continuing: noted.hash)
      noted.lastChange = max(noted.lastChange, state.changedAt ?? .min)
    }
  }

  // MARK: Comparing

  /// The inputs, for `hash(of:)`, and the hash of their states when they were noted. Nil where they cannot be compared.
  package var all: (names: [UInt8], hash: UInt64)? { noted.withLock { $0.isComparable ? ($0.names, $0.hash) : nil } }

  /// The second of the last change of one of the files, when it was noted.
  package var lastChange: Int64 { noted.withLock { $0.lastChange } }

  /// The hash of the present states of inputs; nil where one cannot be compared.
  ///
  /// - Parameter names: those that `all` had in this run, or in an earlier one.
  package func hash(of names: [UInt8]) -> UInt64? {
    var hash = StableHash.seed
    for text in names.split(separator: 0) {
      guard let kind = text.first.flatMap(Kind.init), let state = state(kind, Array(text.dropFirst())) else {
        return nil
      }
      hash = Self.hash(text + [0], state, continuing: hash)
    }
    return hash
  }

  private static func hash(_ text: some Sequence<UInt8>, _ state: State, continuing hash: UInt64) -> UInt64 {
    StableHash.fnv1a(Array(text) + state.text + [0], continuing: hash)
  }

  /// Nil for what can give other bytes each time, such as a pipe, and for what cannot be looked at.
  private func state(_ kind: Kind, _ name: [UInt8]) -> State? {
    switch kind {
    case .variable:
      return State(text: environment.value(String(decoding: name, as: UTF8.self)).map { [1] + $0 } ?? [2])
    case .file:
      guard let status = stat(of: name) else { return [ENOENT, ENOTDIR].contains(errno) ? State(text: [2]) : nil }
      guard [S_IFREG, S_IFDIR].contains(status.type) else { return nil }
      let times = [status.st_mtim, status.st_ctim].map { "\($0.tv_sec).\($0.tv_nsec)" }.joined(separator: " ")
      return State(
        text: Array("\(status.st_dev) \(status.st_ino) \(status.st_size) \(times)".utf8),
        changedAt: Int64(status.st_ctim.tv_sec))
    }
  }
}
