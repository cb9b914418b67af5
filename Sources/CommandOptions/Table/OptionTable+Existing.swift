extension OptionTable {
  /// Files that are there already, and how safe new ones are.
  static let existingOptions: [OptionSpec] = [
    OptionSpec(
      id: .ifExists, long: "if-exists", argument: .required("WHAT"),
      values: .oneOf(["ask", "keep", "verify", "replace", "fail"]),
      effect: .value(\.settings.target.ifExists) { try $0.choice() }, verbs: .downloads.union([.queue]), scope: .task,
      summary: "For files that exist: ask, keep, verify, replace or fail",
      detail: """
        What to do with a file that exists: `keep` it without looking, `verify` it by its digest and download it \
        again if that is wrong, `replace` it, or `fail`. With `ask`, the default, a file with a known digest is \
        verified if it may have changed. Any other file is kept if an earlier run downloaded it or the server \
        reports the same length; otherwise it is an error. The old file stays until the new one is complete and \
        verified.
        """,
      example: "swiftget --if-exists replace https://example.org/a.iso",
      group: .existing, defaultText: "ask", isCommon: true),
    OptionSpec(
      id: .timestamping, long: "timestamping", short: "N",
      effect: .flag(\.settings.target.timestamping), verbs: .downloads.union([.queue]), scope: .task,
      summary: "Replace files if the server has a newer version",
      detail: """
        Ask the server for a newer version of an existing file, and replace the file if there is one. A new entity \
        tag is a new version, whatever its date, if the file is unchanged since its download. Otherwise the dates \
        decide, and the lengths must be equal; a local file that is newer than the server's is kept. An answer with \
        neither date nor entity tag, such as a login page, never replaces a file that had one.
        """,
      example: "swiftget -N -i urls.txt",
      group: .existing),
    OptionSpec(
      id: .noResume, long: "no-resume",
      effect: .flag(\.settings.target.resumes, false), verbs: .storing, opposite: .resume,
      summary: "Start over instead of resuming a part file",
      detail: "Do not resume the part file of an earlier run. Start over.",
      example: "swiftget --no-resume https://example.org/a.iso",
      group: .existing),
    OptionSpec(
      id: .resume, long: "continue", aliases: ["resume"], short: "c",
      effect: .flag(\.settings.target.resumes, true), opposite: .noResume,
      example: "swiftget -c https://example.org/a.iso",
      group: .existing, isHidden: true),
    OptionSpec(
      id: .trustLength, long: "trust-length",
      effect: .flag(\.settings.file.trustsLength),
      summary: "Split and resume if only the length identifies the version",
      detail: """
        Split and resume files even if the server sends neither ETag nor Last-Modified and no digest is known. Then \
        only the length tells two versions apart.
        """,
      example: "swiftget --trust-length https://example.org/a.iso",
      group: .existing),
    OptionSpec(
      id: .allowUnconfirmed, long: "allow-unconfirmed",
      effect: .flag(\.settings.file.allowsUnconfirmed),
      summary: "Accept a body of unknown length without a second look",
      detail: """
        Accept a body that ends with its connection, without a second download, even if no length or digest confirms \
        it and TLS did not announce the end (close_notify). Over HTTP/2, accept a body without a length instead of \
        requesting it over HTTP/1.1.
        """,
      example: "swiftget --allow-unconfirmed https://example.org/a.iso",
      group: .existing),
    OptionSpec(
      id: .acceptHTML, long: "accept-html",
      effect: .flag(\.settings.file.acceptsHTML),
      summary: "Accept an HTML page from another host as a file",
      detail: """
        Accept an HTML page that a redirect to another host brings, even if the name of the file has the extension \
        of another type. By default such a file fails, because the page is usually a login page. It is also accepted \
        if a checksum matches, or if the server sends it as an attachment.
        """,
      example: "swiftget --accept-html -o report.txt https://example.org/a.iso",
      group: .existing),
    OptionSpec(
      id: .acceptStatus, long: "accept-status", argument: .required("LIST"),
      effect: .value(\.settings.file.wholeStatuses) { try $0.wholeStatuses() },
      verbs: .fetches, scope: .task,
      summary: "Also accept answers with these statuses",
      detail: """
        Accept the body of an answer with one of these statuses as the whole file. *LIST* has numbers from 200 to \
        299, separated by commas, except 204, 205 and 206.
        """,
      example: "swiftget --accept-status 201,202 https://example.org/a.iso",
      group: .existing, defaultText: ""),
    OptionSpec(
      id: .compressed, long: "compressed",
      effect: .flag(\.settings.target.refusesCodings), verbs: .storing,
      summary: "Fail if a server sends compressed content",
      detail: """
        Fail a file that the server compresses (Content-Encoding), unless its name ends accordingly (`.gz`, `.tgz`, \
        `.br`, `.zst`). By default the compressed bytes are stored. Unlike curl, swiftget never asks for compression \
        and never decompresses a file.
        """,
      example: "swiftget --compressed https://example.org/a.iso",
      group: .existing),
    OptionSpec(
      id: .atomic, long: "atomic",
      effect: .flag(\.naming.isAtomic), verbs: .downloads, scope: .command, excludes: [.output], isOfOneRun: true,
      summary: "Publish all files together, when all are complete",
      detail: """
        Download into *DIR*`.swiftget-next`, and replace *DIR* in a single step when no file has failed: others see \
        all old files or all new ones. Other files in *DIR* are kept. After a failure or a signal *DIR* is \
        unchanged, and the next run continues. See ATOMIC SETS in `swiftget-guide`(7).
        """,
      example: "swiftget --atomic -d /srv/data -i urls.txt",
      group: .existing),
    OptionSpec(
      id: .prune, long: "prune",
      effect: .flag(\.naming.prunes),
      verbs: .downloads, scope: .command, excludes: [.shard, .nameFrom, .contentDisposition], needs: [.option(.atomic)],
      summary: "With --atomic, drop files that left the list",
      detail: """
        With `--atomic`, drop files that earlier runs with `--atomic` published in *DIR* and that are no longer in \
        the list. Other files are kept, and so are files that were changed since.
        """,
      example: "swiftget --atomic --prune -d /srv/data -i urls.txt",
      group: .existing),
    OptionSpec(
      id: .noSync, long: "no-sync",
      effect: .flag(\.settings.target.syncs, false), verbs: .workers.union([.writeManifest]),
      summary: "Do not wait until files are on stable storage",
      detail: """
        Do not wait until files are on stable storage. After a power failure finished files may be damaged.
        """,
      example: "swiftget --no-sync -i urls.txt",
      group: .existing),
    OptionSpec(
      id: .noRemoteTime, long: "no-remote-time",
      effect: .flag(\.settings.target.keepsRemoteTime, false), verbs: .storing,
      summary: "Do not set the server's modification time on files",
      detail: "Keep the time of the download as modification time instead of the server's `Last-Modified`.",
      example: "swiftget --no-remote-time https://example.org/a.iso",
      group: .existing),
    OptionSpec(
      id: .lock, long: "lock", argument: .required("FILE"),
      effect: .value(\.records.lock) { try $0.recordPath() }, verbs: .downloads, scope: .command, isOfOneRun: true,
      summary: "Record what was downloaded in a lock file",
      detail: """
        When every file is in place, write *FILE* with the URL, mirrors, name, length, SHA-256, ETag and \
        Last-Modified of each file. It is a list for `--input-file`, too. If a file fails, *FILE* stays as it was. \
        See LOCK FILES in `swiftget-manifest`(5).
        """,
      example: "swiftget -i urls.txt --lock files.lock",
      group: .existing),
    OptionSpec(
      id: .frozen, long: "frozen", argument: .required("FILE"),
      effect: .value(\.lists.frozen) { try $0.path() },
      verbs: .lists, scope: .input, excludes: [.nameFrom, .contentDisposition], isOfOneRun: true,
      summary: "Download only what a lock file records",
      detail: """
        Refuse everything that differs from *FILE*, which `--lock` wrote: files that it does not list or lists with \
        another URL, and later another length or content. With `--check`, compare local files with it.
        """,
      example: "swiftget -i urls.txt --frozen files.lock",
      group: .existing),
    OptionSpec(
      id: .failed, long: "failed", argument: .required("FILE"),
      values: .files,
      effect: .value(\.records.failed) { try $0.recordPath() }, verbs: .downloads.union([.queue]), scope: .command,
      excludes: [.output],
      isOfOneRun: true,
      summary: "List the files that failed or were not finished",
      detail: """
        At the end, also after a signal, list the files that failed or were not finished in *FILE*, with the \
        reasons. To try them again, use `-i` *FILE* in place of the lists and URLs. The file is empty if there are \
        none, and only you can read it. See LISTS OF FAILED FILES in `swiftget-manifest`(5).
        """,
      example: "swiftget -i urls.txt --failed failed.txt",
      group: .existing),
  ]
}
