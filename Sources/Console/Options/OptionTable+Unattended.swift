extension OptionTable {
  static let unattendedOptions: [OptionSpec] = [
    OptionSpec(
      id: .changedExit, long: "changed-exit", argument: .required("N"),
      summary: "Exit status where something was downloaded",
      detail: """
        End a run without failures in which at least one file was downloaded or replaced with status *N* instead of 0, \
        so that 0 means that nothing was new. *N* is from 1 to 255 and none of swiftget's own; see EXIT STATUS.
        """,
      group: .unattended)
  ]
}
