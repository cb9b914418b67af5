extension OptionTable {
  /// What a run tells about itself in files.
  static let recordOptions: [OptionSpec] = [
    OptionSpec(
      id: .report, long: "report", argument: .required("FILE"), values: .files,
      summary: "Write a JSON document about the run to this file",
      detail: """
        At the end write *FILE*: a JSON document with the exit status, the sums, and for each file of the run what \
        became of it. It is also written after a signal, and replaced as a whole. See REPORTS.
        """,
      group: .display)
  ]
}
