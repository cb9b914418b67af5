import DownloadCore

/// Reports to be merged, as the command line names them (`--merge-reports`).
package struct MergeOrder: Sendable, Equatable {
  /// Paths; `-` is standard input. At least one.
  package var files: [[UInt8]]
  /// Nil for standard output.
  package var output: [UInt8]?
  package var log = LogOptions()
  package var syncs = true

  package init(files: [[UInt8]]) { self.files = files }

  /// - Throws: what contradicts `--merge-reports`.
  init(_ invocation: Invocation) throws(UsageErrors) {
    var errors: [DownloadError] = []
    func add(_ message: String, hint: String? = nil) { errors.append(DownloadError(.usage, message, hint: hint)) }
    if invocation.urls.isEmpty || invocation.urls.contains([]) {
      add("--merge-reports needs the names of reports", hint: "swiftget --merge-reports FILE... > REPORT")
    }
    if let url = invocation.urls.first(where: TargetName.isURL) {
      add(
        "--merge-reports reads files of this machine, not \(Diagnostic.escaped(Redaction.url(url)))",
        hint: "download the report first")
    }
    if !invocation.inputs.isEmpty || invocation.directory != nil || !invocation.checksums.isEmpty
      || !invocation.mirrors.isEmpty
    {
      add("--merge-reports downloads nothing", hint: "leave out -i, --dir, --checksum and --mirror")
    }
    if let option = invocation.work.option { add("\(option) and --merge-reports cannot be done together") }
    for option in DownloadOptions.given(invocation) {
      add("\(option) has no meaning with --merge-reports", hint: "the one report is written to the file of -o")
    }
    if !errors.isEmpty { throw UsageErrors(errors) }
    files = invocation.urls
    output = invocation.writesToStandardOutput ? nil : invocation.output
    log = invocation.log
    syncs = invocation.settings.syncs
  }
}
