extension OptionTable {
  /// Files that are there already, and how safe new ones are.
  static let existingOptions: [OptionSpec] = [
    OptionSpec(
      id: .ifExists, long: "if-exists", argument: .required("WHAT"),
      values: .oneOf(["ask", "keep", "verify", "replace", "fail"]),
      effect: .value(\.settings.target.ifExists) { try $0.choice() }, verbs: .downloads.union([.queue]),
      summary: "For files that exist: ask, keep, verify, replace or fail",
      detail: """
        What to do with a file that is already there: `keep` it unseen, `verify` it by its digest and fetch it again \
        if that is wrong, `replace` it, or `fail`. By default (`ask`) a file with a known digest is checked and replaced if \
        it is wrong; any other is kept where an earlier run vouches for it or the server's length is the same, and \
        is an error otherwise, as is a file of another URL whose date or entity tag differs. The old file stays until the new one is whole and verified.
        """,
      example: "swiftget --if-exists replace https://example.org/a.iso",
      group: .existing, defaultText: "ask", isCommon: true),
    OptionSpec(
      id: .timestamping, long: "timestamping", short: "N",
      effect: .flag(\.settings.target.timestamping), verbs: .downloads,
      summary: "Replace files of which the server has a newer version",
      detail: """
        Ask the server whether it has a newer version of a file that is there, and replace it if so. A new entity tag \
        is a new version, whatever its date, if nothing has been done to the file since the answer that brought it. \
        Otherwise the dates decide, and the lengths must be equal; a local file with a later modification time than \
        the server's is kept. An answer with neither date nor entity tag, such as a login page, never replaces a file \
        that was downloaded with one.
        """,
      example: "swiftget -N -i urls.txt",
      group: .existing),
    OptionSpec(
      id: .noResume, long: "no-resume",
      effect: .flag(\.settings.target.resumes, false), verbs: .downloads, opposite: .resume,
      summary: "Start over instead of resuming a part file",
      detail: "Do not resume the part file of an earlier run; start over.",
      example: "swiftget --no-resume https://example.org/a.iso",
      group: .existing),
    OptionSpec(
      id: .resume, long: "continue", short: "c",
      effect: .flag(\.settings.target.resumes, true), opposite: .noResume,
      example: "swiftget -c https://example.org/a.iso",
      group: .existing, isHidden: true),
    OptionSpec(
      id: .trustLength, long: "trust-length",
      effect: .flag(\.settings.file.trustsLength),
      summary: "Split and resume if only the length identifies the version",
      detail: """
        Split and resume files even if the server sends neither ETag nor Last-Modified and no digest is known, so that \
        only the length distinguishes two versions.
        """,
      example: "swiftget --trust-length https://example.org/a.iso",
      group: .existing),
    OptionSpec(
      id: .allowUnconfirmed, long: "allow-unconfirmed",
      effect: .flag(\.settings.file.allowsUnconfirmed),
      summary: "Accept a body of unknown length without confirmation",
      detail: """
        Accept a body that ends with its connection without fetching it a second time, if no length or digest confirms \
        it, and over TLS even if the end was not announced (close_notify). Over HTTP/2 accept a body without a length, \
        instead of asking for it over HTTP/1.1.
        """,
      example: "swiftget --allow-unconfirmed https://example.org/a.iso",
      group: .existing),
    OptionSpec(
      id: .acceptHTML, long: "accept-html",
      effect: .flag(\.settings.file.acceptsHTML),
      summary: "Accept an HTML page of another host as a file",
      detail: """
        Accept an HTML page that came over a redirect to another host as the content of a file whose name has an \
        extension that is not a page's. Such a page is usually a login page, so the file fails by default. A checksum \
        decides without this option, and so does a server that sends the page as an attachment.
        """,
      example: "swiftget --accept-html -o report.txt https://example.org/a.iso",
      group: .existing),
    OptionSpec(
      id: .acceptStatus, long: "accept-status", argument: .required("LIST"),
      effect: .value(\.settings.file.wholeStatuses) { try $0.wholeStatuses() },
      verbs: .fetches,
      summary: "Take answers with these statuses for the file, too",
      detail: """
        Take the body of an answer with one of these statuses for the whole file, as that of a 200. *LIST* has numbers \
        from 200 to 299 with commas between them, except 204 and 205, which have no content, and 206, which has a part. \
        Redirects and errors are never files.
        """,
      example: "swiftget --accept-status 201,202 https://example.org/a.iso",
      group: .existing),
    OptionSpec(
      id: .compressed, long: "compressed",
      effect: .flag(\.settings.target.refusesCodings), verbs: .downloads,
      summary: "Fail where a server sends compressed content",
      detail: """
        Files are asked for as they are. A server that compresses one all the same (Content-Encoding) fails it, unless \
        its name ends as such files do (`.gz`, `.tgz`, `.br`, `.zst`). Without this option the compressed bytes are stored. \
        swiftget never decompresses a file, as curl does with this option.
        """,
      example: "swiftget --compressed https://example.org/a.iso",
      group: .existing),
    OptionSpec(
      id: .atomic, long: "atomic",
      effect: .flag(\.naming.isAtomic), verbs: .downloads, excludes: [.output], isOfOneRun: true,
      summary: "Publish the files together, when all are there",
      detail: """
        Download into *DIR*`.swiftget-next`, and replace *DIR* as a whole when nothing has failed: others see all the \
        old files or all the new ones. What is in *DIR* besides stays. After a failure or a signal *DIR* is as before, \
        and the next run goes on with what was downloaded. See ATOMIC SETS.
        """,
      example: "swiftget --atomic -d /srv/data -i urls.txt",
      group: .existing),
    OptionSpec(
      id: .prune, long: "prune",
      effect: .flag(\.naming.prunes),
      verbs: .downloads, excludes: [.shard, .nameFrom, .contentDisposition], needs: [.option(.atomic)],
      summary: "With --atomic, leave out files that left the list",
      detail: """
        With `--atomic`, leave files out of the new set that earlier runs with `--atomic` published in *DIR* and that the \
        list has no more. Files of others stay, and so does a file that somebody has changed since.
        """,
      example: "swiftget --atomic --prune -d /srv/data -i urls.txt",
      group: .existing),
    OptionSpec(
      id: .noSync, long: "no-sync",
      effect: .flag(\.settings.target.syncs, false), verbs: .network.union([.writeManifest]),
      summary: "Do not wait until files are on stable storage",
      detail: "Do not wait for files to reach the disk. After a power cut finished files may then be damaged.",
      example: "swiftget --no-sync -i urls.txt",
      group: .existing),
    OptionSpec(
      id: .noRemoteTime, long: "no-remote-time",
      effect: .flag(\.settings.target.keepsRemoteTime, false), verbs: .downloads,
      summary: "Do not set the server's modification time on files",
      detail: "Leave the time of download as modification time instead of the server's `Last-Modified`.",
      example: "swiftget --no-remote-time https://example.org/a.iso",
      group: .existing),
    OptionSpec(
      id: .lock, long: "lock", argument: .required("FILE"),
      effect: .value(\.records.lock) { try $0.recordPath() }, verbs: .downloads, isOfOneRun: true,
      summary: "Record what was downloaded in a lock file",
      detail: """
        When every file is in place, write *FILE*: for each file its URL and mirrors, name, length and SHA-256, the URL \
        that served it and its ETag and Last-Modified, as a line of JSON. It is a list for `--input-file`, too. A run in \
        which a file fails leaves *FILE* as it was. Queries are recorded in the URL of a file, passwords never. \
        Where a URL has a password, a token or a signature only you can read *FILE*, and a warning says so.
        """,
      example: "swiftget -i urls.txt --lock files.lock",
      group: .existing),
    OptionSpec(
      id: .frozen, long: "frozen", argument: .required("FILE"),
      effect: .value(\.lists.frozen) { try $0.path() },
      verbs: .lists, excludes: [.nameFrom, .contentDisposition], isOfOneRun: true,
      summary: "Download only what a lock file records",
      detail: """
        Refuse everything that differs from *FILE*, which `--lock` wrote: before the start a file that it does not have \
        or has from another URL, later another length or content. With `--check` compare the files that are there with it.
        """,
      example: "swiftget -i urls.txt --frozen files.lock",
      group: .existing),
    OptionSpec(
      id: .failed, long: "failed", argument: .required("FILE"),
      values: .files,
      effect: .value(\.records.failed) { try $0.recordPath() }, verbs: .downloads, excludes: [.output],
      isOfOneRun: true,
      summary: "List what was not downloaded, for another run",
      detail: """
        At the end write *FILE*: the entries of the list whose files failed, were not finished or were not started, \
        each with the reason, for the same command with `-i` *FILE* in place of the list. URL lists and checksum lists \
        keep their own format, with reasons as comments; everything else is in JSON Lines. Only you can read it. It is empty if there are none, and is also written after a signal. \
        For a BagIt bag the command is `-i` *FILE* `-d` *BAG*. See LISTS OF FAILED FILES in `swiftget-manifest`(5).
        """,
      example: "swiftget -i urls.txt --failed failed.txt",
      group: .existing),
  ]
}
