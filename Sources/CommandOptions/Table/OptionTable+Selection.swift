extension OptionTable {
  /// Which files of the lists a run takes.
  static let selectionOptions: [OptionSpec] = [
    OptionSpec(
      id: .shard, long: "shard", argument: .required("I/N"),
      effect: OptionEffect { $0.invocation.lists.shard = try $1.shard($0.environment) }, verbs: .lists,
      isOfOneRun: true,
      summary: "One of N parts of the run: 2/16; auto in a job array",
      detail: """
        Download only shard *I/N*, number *I*, counted from 1, of *N*: each file belongs to one by its name alone. `auto` takes \
        *I* and *N* from the variables of a job array of Slurm or Grid Engine, `auto/`*N* takes *I* from those of \
        Kubernetes, GNU parallel or PBS, too. See SHARDS.
        """,
      example: "swiftget -i urls.txt --shard 2/16",
      group: .input),
    OptionSpec(
      id: .keepGoing, long: "keep-going",
      effect: .flag(\.lists.keepsGoing), verbs: .lists,
      summary: "Leave out wrong lines of lists, and end with status 2",
      detail: """
        Tell what is wrong with lines of lists, but download the others. Of different files with one name none is \
        downloaded. At the end the number of what is left out is told, and the exit status is 2. Without this option nothing is started.
        """,
      example: "swiftget -i urls.txt --keep-going",
      group: .input),
    OptionSpec(
      id: .dryRun, long: "dry-run",
      effect: .flag(\.work, .plan), verbs: .files, excludes: [.spider, .writeManifest], isOfOneRun: true,
      summary: "Tell what would be done with each file; do nothing",
      detail: """
        Print for each file what a download would begin with, and why. Nothing is requested from a server, and nothing is \
        written. See TRYING A RUN.
        """,
      example: "swiftget --dry-run -i urls.txt",
      group: .localFiles),
    OptionSpec(
      id: .spider, long: "spider",
      effect: .flag(\.work, .ask), verbs: .files, excludes: [.writeManifest], isOfOneRun: true,
      summary: "Ask servers about the files; download nothing",
      detail: """
        Ask each URL, those of mirrors too, whether it serves its file, and print length, ETag and Last-Modified. Nothing \
        is downloaded or written. See ASKING SERVERS.
        """,
      example: "swiftget --spider -i urls.txt",
      group: .requests),
  ]

  /// Where options come from besides the command line.
  static let configurationOptions: [OptionSpec] = [
    OptionSpec(
      id: .config, long: "config", argument: .required("FILE"), values: .files,
      effect: .none, verbs: .everything, isOfOneRun: true,
      summary: "Read options from this file",
      detail: """
        Read options from *FILE* instead of `$XDG_CONFIG_HOME/swiftget/config`. See CONFIGURATION. Of this and \
        `--no-config` the last one counts.
        """,
      example: "swiftget --config nightly.conf -i urls.txt",
      group: .display),
    OptionSpec(
      id: .noConfig, long: "no-config",
      effect: .none, verbs: .everything, isOfOneRun: true,
      summary: "Read no configuration file",
      detail: "Read no configuration file. `SWIFTGET_OPTIONS` counts nevertheless.",
      example: "swiftget --no-config https://example.org/a.iso",
      group: .display),
  ]
}
