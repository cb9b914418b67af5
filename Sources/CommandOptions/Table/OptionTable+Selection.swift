extension OptionTable {
  /// Which files of the lists a run takes.
  static let selectionOptions: [OptionSpec] = [
    OptionSpec(
      id: .shard, long: "shard", argument: .required("I/N"),
      effect: OptionEffect { $0.invocation.lists.shard = try $1.shard($0.environment) }, verbs: .lists, scope: .input,
      isOfOneRun: true,
      summary: "Download one of N parts: 2/16; auto in a job array",
      detail: """
        Download only part *I/N*: number *I* of *N*, counted from 1. The name of a file alone decides which part it \
        belongs to. `auto` takes *I* and *N* from the variables of a job array of Slurm or Grid Engine; `auto/`*N* \
        also takes *I* from those of Kubernetes, GNU parallel or PBS. See SHARDS in `swiftget-guide`(7).
        """,
      example: "swiftget -i urls.txt --shard 2/16",
      group: .input),
    OptionSpec(
      id: .keepGoing, long: "keep-going",
      effect: .flag(\.lists.keepsGoing), verbs: .lists, scope: .input,
      summary: "Skip wrong lines in lists, and end with status 2",
      detail: """
        Report wrong lines in lists, and download the rest. If different files have one name, none of them is \
        downloaded. The exit status is 2. Without this option nothing is started.
        """,
      example: "swiftget -i urls.txt --keep-going",
      group: .input),
    OptionSpec(
      id: .dryRun, long: "dry-run",
      effect: .flag(\.work, .plan), verbs: .files, scope: .command, excludes: [.spider, .writeManifest],
      isOfOneRun: true,
      summary: "Print what would be done with each file, do nothing",
      detail: """
        Print what a download would do with each file, and why. No server is asked and nothing is written. See \
        TRYING A RUN in `swiftget-guide`(7).
        """,
      example: "swiftget --dry-run -i urls.txt",
      group: .localFiles),
    OptionSpec(
      id: .spider, long: "spider",
      effect: .flag(\.work, .ask), verbs: .files, scope: .command, excludes: [.writeManifest], isOfOneRun: true,
      summary: "Ask servers about the files, download nothing",
      detail: """
        Ask for each URL, including mirrors, whether it serves its file, and print length, ETag and Last-Modified. \
        Nothing is downloaded. See ASKING SERVERS in `swiftget-guide`(7).
        """,
      example: "swiftget --spider -i urls.txt",
      group: .requests),
  ]

  /// Where options come from besides the command line.
  static let configurationOptions: [OptionSpec] = [
    OptionSpec(
      id: .config, long: "config", argument: .required("FILE"), values: .files,
      effect: .none, verbs: .everything, scope: .command, isOfOneRun: true,
      summary: "Read options from this file",
      detail: """
        Read options from *FILE* instead of `$XDG_CONFIG_HOME/swiftget/config`. See CONFIGURATION in \
        `swiftget-guide`(7).
        """,
      example: "swiftget --config nightly.conf -i urls.txt",
      group: .display),
    OptionSpec(
      id: .noConfig, long: "no-config",
      effect: .none, verbs: .everything, scope: .command, isOfOneRun: true,
      summary: "Read no configuration file",
      detail: "Read no configuration file. `SWIFTGET_OPTIONS` still applies.",
      example: "swiftget --no-config https://example.org/a.iso",
      group: .display),
  ]
}
