import DownloadCore

extension ManPageText {
  static let tail: [Block] = [
    .section("OUTPUT"),
    .opening(
      """
      Standard output carries only what was asked for: the file with `-o -`, help, generated texts, and the objects of \
      `--progress json`, the results of `--check`, and manifests. Where that is lost, for standard output is closed, the status is 3. Everything else goes to \
      standard error.
      """),
    .paragraph(
      """
      A terminal gets a live display: for each active file its name, a bar, how much is there, its size, the rate (or \
      what the file waits for), the time left and the number of its connections (`x16`), as far as they fit; below, a \
      line for the whole run, where a time that counts files not yet begun is marked with `~`. Rates are means over \
      the last seconds. Finished and failed files scroll up. Ctrl-Z removes the display, and it returns with `fg`.
      """),
    .paragraph(
      """
      Elsewhere each downloaded or failed file is a line, without control characters. Files that were there already \
      are told only with `-v`, so that a run with nothing to do prints nothing. The same hint is printed once. After \
      \(FailureTally.mostPrinted) failures of one kind, the others are only named at the end; `-v` and `--progress json` \
      tell all.
      """),
    .paragraph(
      """
      A run of several files ends with its counts and its failures, grouped by their cause: how many there are, and the \
      name of each. If more than \(FailureTally.mostNamed) files failed, the names come before the counts, so that the \
      counts and the \(FailureTally.mostKinds) commonest causes are the last lines. Many names wait in a file below \
      `TMPDIR`; without room for it, the first \(FailureTally.mostNamed) of each cause are named. A reader that \
      takes nothing for a second, such as a pager that waits, gets no more lines. `--failed` lists the files for another \
      run. `-q` leaves all this out where nothing failed. On a terminal and in a log also a run with \
      nothing to do has a line.
      """),
    .example(["swiftget: a.iso: 1.2 GiB in 3.4 s (361 MiB/s), sha256 verified (given)"]),
    .paragraph(
      """
      An error is one line, `swiftget:` *NAME*`:` *what failed*`:` *cause*, and a second one that begins with `hint:` \
      where one helps. Control and invisible characters in names and servers' words are shown as `\\x1b` or `\\u{202e}`.
      """),
    .paragraph(
      """
      `--log` appends such lines to a file, which has mode 0666 less the umask if it is new, and is neither truncated \
      nor rotated: a log that is moved away during a run goes on getting its lines, and one that is copied and \
      truncated begins anew. Each line begins with its local time. The run's begin and its exit status have lines of \
      their own. Several runs may share a log. If it cannot be written, because the disk is full or nobody reads the pipe, \
      standard error says so once, and the run goes on.
      """),
    .example(["2026-01-31T23:59:59+01:00 swiftget: a.iso: 1.2 GiB in 3.4 s (361 MiB/s), sha256 verified (given)"]),
    .paragraph(
      """
      `--progress json` prints one JSON object a line, to standard output, or to standard error where `-o -` has \
      taken that. Sizes are in bytes, rates in bytes a second, times in seconds; what is not known is `null`. A name \
      that is not UTF-8 has U+FFFD in `name`, and its bytes in hexadecimal as `name_bytes`; so has `path`. Later versions may add \
      fields and events. Each object has its `time` (UTC, as `2026-01-31T23:59:59.001Z`). `event` is one of:
      """),
    .entry("`start`", "`version` (1, of this format), `items` (in the input)."),
    .entry("`list`", "For each list: `name`; `origin` and `dynamic`, where a Metalink tells them (RFC 5854)."),
    .entry("`item-start`", "`item` (position in the input, from 0), `name`, `url`."),
    .entry(
      "`progress`",
      """
      About four times a second: `seconds`, `items`, `downloaded`, `kept`, `failed`, `received` (bytes from the \
      network), `done` (bytes in place), `known` (bytes of all files begun), `rate`, `connections`, and `active`, an \
      array of objects with `item`, `name`, `phase` (`waiting`, `connecting`, `receiving`, `verifying`, `publishing`, \
      `retrying`, `paused`), `done`, `length`, `rate`, `connections`.
      """),
    .entry(
      "`notice`", "`item`, `name` (missing where it is about the run), `level` (`detail`, `note`, `warning`), `text`."),
    .entry(
      "`item-end`",
      """
      `item`, `name`, `path` (absolute, of the target; `null` for standard output), `url`, `result` (`downloaded`, \
      `kept`, `failed`), `bytes` (in place, or in the part file), `received`, `http-status` (of the answer that \
      decided, if there was one), `verified` (*ALGO*`:`*HEX*), `verified-by` (`given`, `server`), `seconds`, `source` (such as `SHA256SUMS:17`), and after a failure \
      `error` with `code`, `message`, `hint`. Codes are \
      \(DownloadError.Code.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ")).
      """),
    .entry(
      "`end`",
      """
      `status` (the exit status), `interrupted`, `seconds`, `items`, `downloaded`, `kept`, `failed`, `received`, and \
      after a run that ended early `unfinished` (items that were active) and `unstarted`; `failures`, an array with the \
      `code`, the `text`, the `count` and the first \(FailureTally.mostNamed) `names` of each cause, the commonest first.
      """),
    .paragraph(
      """
      With `--log-format json` the log has these events, each with its `time`, except `progress`; `item-start`, the \
      `item-end` of files that were kept, and notices of the level `detail` only with `-v`. Two more stand beside them: \
      `message`, whose `text` is a line that standard error has, too, and at the end `exit` with the `status`.
      """),
    .section("ENVIRONMENT"),
    .entry(
      "`http_proxy`, `https_proxy`, `all_proxy`, `no_proxy`",
      "Proxies, and hosts to reach without one, as in curl; `--proxy` and `--no-proxy` override them."),
    .entry(
      "`SLURM_ARRAY_TASK_*`, `SGE_TASK_*`, `JOB_COMPLETION_INDEX`, `PARALLEL_SEQ`, `PBS_ARRAY_INDEX`, `PBS_ARRAYID`",
      "The place in a job array, with `--shard` `auto`; see SHARDS."),
    .entry("`TERM`", "A terminal without a cursor to move (`dumb`, or unset) gets lines instead of the live display."),
    .entry("`LC_ALL`, `LC_CTYPE`, `LANG`", "Whether the display may use more than ASCII characters."),
    .entry("`SWIFTGET_OPTIONS`", "Options for every run; see CONFIGURATION."),
    .entry("`XDG_CONFIG_HOME`, `HOME`", "Where the configuration file is looked for."),
    .entry("`XDG_CACHE_HOME`, `HOME`", "Where the index of finished files is; see FILES."),
    .entry(
      "`TMPDIR`",
      """
      The directory of temporary files without names, for what is too much for memory: lists from URLs and pipes, the \
      manifests of bags, entries that name a file again, the names of failed files. `/tmp` if it is not set.
      """),
    .entry("`POSIXLY_CORRECT`", "Options end at the first URL."),
    .section("SIGNALS"),
    .opening(
      """
      `SIGINT` (Ctrl-C), `SIGTERM` and `SIGHUP` (unless it was ignored, as by `nohup`) end the run within a second, \
      with everything saved; the same command goes on from there. A `SIGKILL` loses well under a second of work, a \
      power cut about one second.
      """),
    .paragraph("`SIGUSR1` has the run say how far it is, on standard error, also with `-q`."),
    .section("EXAMPLES"),
    .opening("Download a file, or go on with it:"),
    .example(["swiftget https://example.org/debian.iso"]),
    .paragraph("Download it from either of two servers, and take it only if it is the right one:"),
    .example([
      "swiftget --checksum sha256:HEX --mirror https://mirror.example.net/debian.iso \\",
      "    https://example.org/debian.iso",
    ]),
    .paragraph("Download and verify all that a checksum file names, into a directory:"),
    .example(["swiftget -d isos -i SHA256SUMS --base-url https://example.org/isos/"]),
    .paragraph("Download a list nightly from cron, with mail only when something fails:"),
    .example(["swiftget -q -d /srv/data -i /etc/data-urls.txt"]),
    .paragraph("Unpack while downloading:"),
    .example(["swiftget -o - https://example.org/src.tar.gz | tar xz"]),
    .section("SEE ALSO"),
    .opening("`swiftget-manifest`(5), `swiftget-sidecar`(5), `curl`(1), `wget`(1), `aria2c`(1), `sha256sum`(1)"),
  ]
}
