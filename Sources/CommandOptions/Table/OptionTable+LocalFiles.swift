internal import DownloadListWriting

extension OptionTable {
  static let localFileOptions: [OptionSpec] = [
    OptionSpec(
      id: .check, long: "check",
      effect: .flag(\.work, .check), verbs: .files, excludes: [.dryRun, .spider, .writeManifest], isOfOneRun: true,
      summary: "Check files against lists or --checksum; download nothing",
      detail: """
        Look up every file where a download would put it, compare its length and all of its digests with those of the \
        lists or the command line, and print the results. Nothing is requested from a server, and nothing is written. \
        See CHECKING FILES.
        """,
      example: "swiftget --check -i SHA256SUMS -d downloads",
      group: .localFiles),
    OptionSpec(
      id: .strict, long: "strict",
      effect: .flag(\.isStrict), verbs: [.check],
      summary: "With --check: files without a checksum are wrong",
      detail: """
        With `--check`, fail with status 9 also for a file without a known digest, even if its length is known and right.
        """,
      example: "swiftget --check --strict -i SHA256SUMS -d downloads",
      group: .localFiles),
    OptionSpec(
      id: .writeManifest, long: "write-manifest", argument: .required("FORMAT"),
      values: .oneOf(WrittenFormat.allCases.map(\.rawValue)),
      effect: OptionEffect { try $0.invocation.writeManifest($1) }, verbs: .files, isOfOneRun: true,
      summary: "Write a manifest of all files below a directory",
      detail: """
        Hash all files below the directory that is the only operand, and write a manifest of them to standard output, \
        or to the file of `--output`. *FORMAT* is one of \
        \(WrittenFormat.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ")). See WRITING MANIFESTS.
        """,
      example: "swiftget --write-manifest gnu release",
      group: .localFiles),
    OptionSpec(
      id: .inPlace, long: "in-place",
      effect: .flag(\.manifest.isInPlace), verbs: [.writeManifest], isOfOneRun: true,
      summary: "With --write-manifest bagit: DIR itself becomes the bag",
      detail: """
        With `--write-manifest bagit` and without `--output`: move everything in the directory, hidden files as well, \
        into its subdirectory `data`, and write the files of a bag beside that. Without this option the command only \
        tells what would be moved.
        """,
      example: "swiftget --write-manifest bagit --in-place release",
      group: .localFiles),
    OptionSpec(
      id: .algorithm, long: "algorithm", argument: .required("LIST"),
      effect: .value(\.manifest.algorithms) { try $0.algorithms() }, verbs: [.writeManifest], isOfOneRun: true,
      summary: "Digests of --write-manifest, with commas (sha256)",
      detail: """
        The digests that `--write-manifest` computes: *LIST* is names as in `--checksum`, separated by commas. Without \
        this option it is `sha256`.
        """,
      example: "swiftget --write-manifest jsonl --algorithm sha256,md5 release",
      group: .localFiles),
  ]
}
