import DownloadCore

/// What a hook finds in its environment about a file or a run. A variable whose value is not known is left out.
struct HookVariables {
  /// `NAME=VALUE`, without NUL.
  private(set) var entries: [[UInt8]] = []

  /// - Parameter directory: what names are relative to, absolute; nil if the content goes to standard output.
  init(_ outcome: Outcome, in directory: [UInt8]?) {
    add("PATH", directory.map { AbsolutePath.of(outcome.name, in: $0) })
    add("URL", outcome.location.text)
    add("FINAL_URL", (outcome.record?.servedBy ?? outcome.lastAnswer?.location)?.withoutQuery)
    add("SIZE", String(outcome.byteCount))
    var digests: [DigestAlgorithm: ContentDigest] = [:]
    for digest in (outcome.record?.digests ?? []) + [outcome.verified?.digest].compactMap(\.self) {
      digests[digest.algorithm] = digest
    }
    for algorithm in DigestAlgorithm.allCases {
      add(Self.name(algorithm), digests[algorithm]?.hex)
    }
    switch outcome.result {
    case .failed(let error):
      add("OUTCOME", "failed")
      add("EXIT", String(ExitStatus(error.code).rawValue))
      add("ERROR", Self.words(error))
    case .downloaded, .kept, .withdrawn:
      add("OUTCOME", "downloaded")
      add("EXIT", String(ExitStatus.success.rawValue))
    }
  }

  /// - Parameters:
  ///   - status: of the process, unless this hook fails.
  ///   - error: why nothing was started, or what stopped the run.
  ///   - report: the path of a report about the run, absolute.
  init(_ status: ExitStatus, error: DownloadError? = nil, report: [UInt8]? = nil) {
    add("OUTCOME", Self.outcome(status))
    add("EXIT", String(status.rawValue))
    add("ERROR", error.map(Self.words))
    add("REPORT", report)
  }

  private static func outcome(_ status: ExitStatus) -> String {
    switch status {
    case .success, .changed: "succeeded"
    case .interrupted, .terminated: "interrupted"
    default: "failed"
    }
  }

  /// As messages show it: without secrets and control characters.
  private static func words(_ error: DownloadError) -> String { Diagnostic.escaped(Redaction.words(error.message)) }

  /// `SHA256`, `SHA3_256`
  private static func name(_ algorithm: DigestAlgorithm) -> String {
    String(algorithm.rawValue.uppercased().map { $0 == "-" ? "_" : $0 })
  }

  private mutating func add(_ name: String, _ value: String?) { add(name, value.map { Array($0.utf8) }) }

  private mutating func add(_ name: String, _ value: [UInt8]?) {
    guard let value, !value.contains(0) else { return }
    entries.append(Array("SWIFTGET_\(name)=".utf8) + value)
  }
}
