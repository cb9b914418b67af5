import DownloadCore

/// What the man page says besides the options; `` `bold` `` and `*italic*` as in the option table.
enum ManPageText {
  enum Block {
    case section(String)
    case paragraph(String)
    /// Right under a section's heading.
    case opening(String)
    case entry(String, String)
    case example([String])
  }

  static let head: [Block] = [
    .section("NAME"),
    .opening("swiftget - download files whole, verified and fast"),
    .section("SYNOPSIS"),
    .opening("`swiftget` [*OPTIONS*] *URL*..."),
    .paragraph("`swiftget` [*OPTIONS*] `-i` *LIST*..."),
    .section("DESCRIPTION"),
    .opening(
      """
      `swiftget` downloads files over HTTP and HTTPS. A file appears under its name only when it is whole, and \
      verified where anything to verify it with is known: a digest of the command line, of a checksum file, or of the \
      server. Until then its bytes are in a part file next to it.
      """),
    .paragraph(
      """
      The same command line goes on where an interrupted run ended, and does nothing where everything is in place. \
      Large files are fetched over several connections, and many small ones at once, as far as that is faster and the \
      server bears it; no tuning is needed.
      """),
    .paragraph(
      """
      Names and passwords in a URL, those of `--user`, `--header` and netrc files, and client certificates go only to \
      servers that you named. Passwords and the queries of URLs are never shown or stored.
      """),
  ]

  static let optionsIntroduction = """
    Long options may be shortened as long as they are unambiguous, and take their argument as `--name=`*VALUE* or as \
    the next word; short ones may be bundled. `--` ends the options. *SIZE* and *RATE* are bytes, with `k`, `M`, `G` \
    or `T` powers of 1024, such as `1.5M`. *TIME* is in seconds, or with `s`, `m`, `h`, such as `2m`. What is less than \
    one byte or millisecond, but more than zero, counts as one. Of options that \
    contradict each other the last one counts. The habits `-nc` (`--if-exists keep`), `-nv` (`--progress lines`), \
    `-nd`, `-L`, `-f` and `-Z` (nothing to do) are understood.
    """

  static let manifestsAndFiles: [Block] = [
    .section("MANIFESTS"),
    .opening(
      """
      A manifest names many files at once. It is read whole before anything starts: a line that cannot be understood, \
      or two entries that would meet in one file, end the run with status 2 and the line's number. It is read once \
      more while the run lasts; one that has changed since, or cannot be read, stops the run with status 3. Names may lead into \
      subdirectories, but never out of the target directory.
      """),
    .entry(
      "`urls`",
      """
      One URL a line. Empty lines and lines that begin with `#` are skipped. A digest may follow: \
      *URL*`#sha256=`*HEX*, also among other parts of the fragment (`#egg=x&sha256=`*HEX*), or *URL*`#`*HEX* with the \
      digits of an MD5, as in conda's lock files, or of a SHA-1 or SHA-2 digest. On the command line it means the same.
      """),
    .entry(
      "`aria2`",
      """
      Input files of aria2: URLs of one file on one line, separated by TAB characters; under it, indented, its \
      options `out=`, `dir=`, `checksum=` and `header=`. A relative `dir=` is below the directory of `--dir`; an \
      absolute one is taken as it is, as `--dir` would be. `out=` stays inside either. Other options of aria2 are \
      passed over, but those that say whom to ask, and with what password, are refused by name.
      """),
    .example([
      "https://example.org/a.iso\thttps://mirror.example.net/a.iso",
      "  out=isos/a.iso",
      "  checksum=sha-256=9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    ]),
    .entry(
      "`checksums`",
      """
      Checksum files in the forms of GNU (`sha256sum`) and BSD (`SHA256 (NAME) = HEX`), md5 to sha512, with escaped \
      names. They need `--base-url`.
      """),
    .example([
      "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08  a.iso",
      "SHA256 (b.iso) = 60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752",
    ]),
    .section("DECISIONS"),
    .opening(
      """
      The first request is a plain GET, and its answer is the download. Further connections ask for ranges of what \
      nobody has asked for yet. An answer to one is stored only where its status, its range, the complete length and \
      the entity tag or modification time all fit the first answer's, or where a digest will judge the whole.
      """),
    .paragraph(
      """
      Where the file has changed on the server, the download starts over and says why; after five times it fails with \
      status 9. Only a plain GET can bring another version: an answer to a range that does not fit is dropped, and a \
      plain GET asks for the version. An answer without entity tag and modification time never takes the place of a \
      version that had one, for an error page may come with status 200; `--no-resume` starts over. Where the server tells neither entity tag nor a modification time that is old enough to be relied on, \
      and no digest is known, the file is fetched in one stream and never gone on with (`--trust-length` does).
      """),
    .paragraph(
      """
      A body without a length that ends with its connection may have been cut: where no digest is known it is fetched \
      a second time and compared (`--allow-unconfirmed` takes the first). Over TLS such an end counts only where the \
      server has announced it (close_notify), else the attempt has failed. A digest that does not fit has the file \
      fetched again, three times in all, then it is set aside and the status is 9.
      """),
    .paragraph(
      """
      A file is called verified only where a digest from outside was computed over exactly its bytes and is equal: one \
      that was *given*, by the user or a list, or one that was *told by the server* in `Repr-Digest`, `Digest` or \
      `Content-MD5`. The output says which. A digest of an interrupted run judges the bytes that it left, also where \
      the next command line gives none.
      """),
    .paragraph(
      """
      Connections that fail, time-outs, cut bodies, and the answers 408, 425, 429, 500, 502, 503, 504 and 520 to 524 \
      are tried again, after 1, 2, 4 and more seconds, about half of them at random, up to `--retry-wait`. \
      `Retry-After` is obeyed up to that time, for all files of the host. Attempts that record at least 4 KiB do not \
      count against `--tries`. A host that does not answer at all is asked once for all its files at each step, and \
      after `--tries` steps they fail together. Other answers are final, but a redirect's target that refuses has the \
      original URL asked again.
      """),
    .paragraph(
      """
      A file that is there already is kept where its digest fits, or where the mark that swiftget left on it says \
      that it came from this URL and was not touched. Else one request compares the length: equal is kept, different \
      fails with a hint. With a digest that does not fit it is replaced, but not before the new one is verified. \
      A symbolic link is never written through.
      """),
    .paragraph(
      """
      Limits of the rate count the bodies of answers, as they are read, over spans of a second: none sees more than 5 % \
      above the limit. With a limit below 64 KiB a second it may be up to 1 KiB more, and after a change in the middle \
      of a transfer 16 KiB more for each connection. What the kernel has received and nobody has read yet, some 100 KiB \
      for each connection, is not counted yet: to the server the first second looks larger by that. Files share a \
      limit in turns, and a wait for one is not held against the server. With a limit each transfer has a connection of its own, with HTTP/1.1.
      """),
    .paragraph(
      """
      A file whose length is known is begun only where it fits: what all active files on the same file system have yet \
      to write must be available there, besides a reserve of a hundredth of the file system, at most 8 MiB. A file that \
      does not fit fails alone, with status 3. A file system that is full, or down to the reserve, stops the run; the \
      same command goes on when there is room.
      """),
    .section("FILES"),
    .entry(
      "*NAME*`.swiftget-part`",
      """
      The bytes of a file that is not finished, in the target's directory. It is renamed to *NAME* when it is \
      whole, verified and on stable storage.
      """),
    .entry(
      "*NAME*`.swiftget-bad`",
      "What arrived where the digest did not fit, for you to look at; the next one takes its place."),
    .entry(
      "*NAME*`.swiftget`",
      """
      The sidecar: which bytes of the part file count, and of which version of the file they are; see \
      `swiftget-sidecar`(5). It holds no credentials. A sidecar that is damaged or does not fit is ignored with a \
      word, and the file is started over. Both files may be removed when no run is at work, together.
      """),
    .paragraph(
      """
      Files under these names are used and removed only where they are swiftget's: a sidecar bears its signature, a \
      part file has a sidecar beside it or can be read by its owner only, both belong to the user who runs swiftget and \
      have no other links. Anything \
      else is left alone, and the download fails with status 3 and a hint. Where other users could write to them, the \
      file is started over.
      """),
    .entry(
      "*.NAME.PID-N*`.swiftget-tmp`",
      "A small file on its way to its name; a run that is killed may leave it."
    ),
    .paragraph("A file that would have a name with one of these endings is refused."),
    .entry("`~/.netrc`", "Names and passwords of servers, read with `--netrc`."),
    .paragraph(
      """
      Finished files carry extended attributes where the file system has them: `user.xdg.origin.url`, \
      `user.swiftget.verified`, and for SHA-256 `user.shatag.sha256` and `user.shatag.ts`. By these a later run knows \
      a verified file without reading it, as long as nothing has been done to it since: after a `chmod`, a new link or \
      a rename it is read once, or its length is asked for where no digest is known. `--timestamping` adds \
      `user.swiftget.etag`, the server's entity tag. None are set with `--no-sync`.
      """),
  ]

  static let tail: [Block] = [
    .section("OUTPUT"),
    .opening(
      """
      Standard output carries only what was asked for: the file with `-o -`, help, generated texts, and the objects of \
      `--progress json`. Where that is lost, for standard output is closed, the status is 3. Everything else goes to \
      standard error.
      """),
    .paragraph(
      """
      A terminal gets a live display: for each active file its name, a bar, how much is there, its size, the rate (or \
      what the file waits for), the time left and the number of its connections (`x16`); below, a line for the whole \
      run, where a time that counts files not yet begun is marked with `~`. Finished and failed files scroll up. \
      Elsewhere each downloaded or failed file is a line, without control characters. Files that were there already \
      are told only with `-v`, so that a run with nothing to do prints nothing.
      """),
    .example(["swiftget: a.iso: 1.2 GiB in 3.4 s (361 MiB/s), sha256 verified (given)"]),
    .paragraph(
      """
      An error is one line, `swiftget:` *NAME*`:` *what failed*`:` *cause*, and a second one that begins with `hint:` \
      where one helps. Control and invisible characters in names and servers' words are shown as `\\x1b` or `\\u{202e}`.
      """),
    .paragraph(
      """
      `--progress json` prints one JSON object a line, to standard output, or to standard error where `-o -` has \
      taken that. Sizes are in bytes, rates in bytes a second, times in seconds; what is not known is `null`. A name \
      that is not UTF-8 has U+FFFD in `name`, and its bytes in hexadecimal as `name_bytes`. Later versions may add \
      fields and events. `event` is one of:
      """),
    .entry("`start`", "`version` (1, of this format), `items` (in the input)."),
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
      `item`, `name`, `url`, `result` (`downloaded`, `kept`, `failed`), `bytes` (in place, or in the part file), \
      `received`, `verified` (*ALGO*`:`*HEX*), `verified-by` (`given`, `server`), `seconds`, `source` (such as `SHA256SUMS:17`), and after a failure \
      `error` with `code`, `message`, `hint`. Codes are \
      \(DownloadError.Code.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ")).
      """),
    .entry(
      "`end`",
      """
      `status` (the exit status), `interrupted`, `seconds`, `items`, `downloaded`, `kept`, `failed`, `received`, and \
      after a run that had to stop `unfinished` (items that were at work) and `unstarted`.
      """),
    .section("ENVIRONMENT"),
    .entry(
      "`http_proxy`, `https_proxy`, `all_proxy`, `no_proxy`",
      "Proxies, and hosts to reach without one, as in curl; `--proxy` and `--no-proxy` override them."),
    .entry("`TERM`", "A terminal without a cursor to move (`dumb`, or unset) gets lines instead of the live display."),
    .entry("`LC_ALL`, `LC_CTYPE`, `LANG`", "Whether the display may use more than ASCII characters."),
    .entry("`POSIXLY_CORRECT`", "Options end at the first URL."),
    .section("SIGNALS"),
    .opening(
      """
      `SIGINT` (Ctrl-C), `SIGTERM` and `SIGHUP` (unless it was ignored, as by `nohup`) end the run within a second, \
      with everything saved; the same command goes on from there. A `SIGKILL` loses well under a second of work, a \
      power cut about one second.
      """),
    .paragraph("`SIGUSR1` has the run say how far it is, on standard error."),
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
    .opening("`swiftget-sidecar`(5), `curl`(1), `wget`(1), `aria2c`(1), `sha256sum`(1)"),
  ]
}
