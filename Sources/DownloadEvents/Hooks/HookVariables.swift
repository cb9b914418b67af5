package import DownloadCore
internal import DownloadScratch
package import DownloadWords

/// What a hook finds in its environment about a file or a run. A variable whose value is not known is left out.
package struct HookVariables {
  private var variables = ChildVariables()

  /// `NAME=VALUE`, without NUL.
  var entries: [[UInt8]] { variables.entries }

  /// - Parameter directory: what names are relative to, absolute; nil if the content goes to standard output.
  package init(_ outcome: Outcome, in directory: [UInt8]?, _ vocabulary: Vocabulary) {
    variables.add("PATH", directory.map { AbsolutePath.of(outcome.name, in: $0) })
    variables.add("URL", outcome.location.text)
    variables.add("FINAL_URL", outcome.transfers.servedBy?.withoutQuery)
    variables.add("SIZE", String(outcome.byteCount))
    var digests: [DigestAlgorithm: ContentDigest] = [:]
    for digest in (outcome.record?.digests ?? []) + [outcome.verified?.digest].compactMap(\.self) {
      digests[digest.algorithm] = digest
    }
    for algorithm in DigestAlgorithm.allCases {
      variables.add(Self.name(algorithm), digests[algorithm]?.hex)
    }
    switch outcome.result {
    case .failed(let error):
      variables.add("OUTCOME", "failed")
      variables.add("EXIT", String(ExitStatus(error).rawValue))
      variables.add("ERROR", Self.shown(error.message(in: vocabulary)))
    case .downloaded, .kept, .withdrawn, .unfinished:
      variables.add("OUTCOME", "downloaded")
      variables.add("EXIT", String(ExitStatus.success.rawValue))
    }
  }

  /// - Parameters:
  ///   - status: of the process, unless this hook fails.
  ///   - error: why nothing was started, or what stopped the run.
  ///   - report: the path of a report about the run, absolute.
  package init(_ status: ExitStatus, error: String? = nil, report: [UInt8]? = nil) {
    variables.add("OUTCOME", Self.outcome(status))
    variables.add("EXIT", String(status.rawValue))
    variables.add("ERROR", error.map(Self.shown))
    variables.add("REPORT", report)
  }

  private static func outcome(_ status: ExitStatus) -> String {
    switch status {
    case .success, .changed: "succeeded"
    case .interrupted, .terminated: "interrupted"
    default: "failed"
    }
  }

  /// As messages show it: without secrets and control characters.
  private static func shown(_ message: String) -> String { Diagnostic.escaped(Redaction.words(message)) }

  /// `SHA256`, `SHA3_256`
  private static func name(_ algorithm: DigestAlgorithm) -> String {
    String(algorithm.rawValue.uppercased().map { $0 == "-" ? "_" : $0 })
  }
}
