internal import DownloadListWriting

extension OptionTable {
  static let localFileOptions: [OptionSpec] = [
    OptionSpec(
      id: .check, long: "check",
      effect: .flag(\.work, .check), verbs: .files, scope: .command, excludes: [.dryRun, .spider, .writeManifest],
      isOfOneRun: true,
      summary: "Compare local files with lists or --checksum",
      detail: """
        Compare the length and all digests of every file with those of the lists or the command line, and print the \
        results. No server is asked and nothing is written. See CHECKING FILES in `swiftget-guide`(7).
        """,
      example: "swiftget --check -i SHA256SUMS -d downloads",
      group: .localFiles),
    OptionSpec(
      id: .strict, long: "strict",
      effect: .flag(\.isStrict), verbs: [.check], scope: .command,
      summary: "With --check: files without a checksum fail",
      detail: """
        With `--check`, also fail with status 9 if a file has no known digest, even if its length is right.
        """,
      example: "swiftget --check --strict -i SHA256SUMS -d downloads",
      group: .localFiles),
    OptionSpec(
      id: .writeManifest, long: "write-manifest", argument: .required("FORMAT"),
      values: .oneOf(WrittenFormat.allCases.map(\.rawValue)),
      effect: OptionEffect { try $0.invocation.writeManifest($1) }, verbs: .files, scope: .command, isOfOneRun: true,
      summary: "Write a list of all files in a directory",
      detail: """
        Hash all files in the directory that is the only operand, and write a list of them to standard output or to \
        the file of `--output`. *FORMAT* is one of \
        \(WrittenFormat.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ")). See WRITING LISTS in \
        `swiftget-guide`(7).
        """,
      example: "swiftget --write-manifest gnu release",
      group: .localFiles),
    OptionSpec(
      id: .inPlace, long: "in-place",
      effect: .flag(\.manifest.isInPlace), verbs: [.writeManifest], scope: .command, isOfOneRun: true,
      summary: "With --write-manifest bagit: turn DIR into the bag",
      detail: """
        With `--write-manifest bagit` and without `--output`: move everything in the directory, including hidden \
        files, into its subdirectory `data`, and write the other files of the bag. Without this option the command \
        only reports what would be moved.
        """,
      example: "swiftget --write-manifest bagit --in-place release",
      group: .localFiles),
    OptionSpec(
      id: .algorithm, long: "algorithm", argument: .required("LIST"),
      effect: .value(\.manifest.algorithms) { try $0.algorithms() }, verbs: [.writeManifest], scope: .command,
      isOfOneRun: true,
      summary: "Digests for --write-manifest (sha256)",
      detail: """
        The digests that `--write-manifest` computes: *LIST* has names as for `--checksum`, separated by commas. The \
        default is `sha256`.
        """,
      example: "swiftget --write-manifest jsonl --algorithm sha256,md5 release",
      group: .localFiles),
  ]
}
