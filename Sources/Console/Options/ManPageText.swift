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
    .paragraph("`swiftget` `--check` [*OPTIONS*] `-i` *LIST*..."),
    .paragraph("`swiftget` `--write-manifest` *FORMAT* [*OPTIONS*] *DIR*"),
    .paragraph("`swiftget` `--merge-reports` [`-o` *FILE*] *REPORT*..."),
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
      Names and passwords in a URL go with that URL to its server only, header lines of an entry of a list to the \
      servers of that entry. Those of `--user` and `--header`, `default` of a netrc file, and client certificates go only \
      to servers that you named. What a netrc file says of a machine goes to that machine, over `https` also where only \
      a redirect or a list from the network names it.
      """),
    .paragraph(
      """
      Passwords and the queries of URLs are never shown. They are stored in these files only: `--failed` *FILE* has \
      entries as the list has them, passwords and header lines included, and is readable by you only. `--lock` *FILE* has \
      queries, but no passwords before the host; it is readable by you only, with a warning, where a URL has a password \
      or a parameter with a name such as `token`, `key`, `Signature` or `X-Amz-Signature`. `--save-cookies` *FILE* has \
      cookies, and is readable by you only. Commands of hooks get whole URLs in their environment.
      """),
  ]

  static let optionsIntroduction = """
    Long options may be shortened as long as they are unambiguous, and take their argument as `--name=`*VALUE* or as \
    the next word; short ones may be bundled. `--` ends the options. *SIZE* and *RATE* are bytes, with `k`, `M`, `G` \
    or `T` powers of 1024, such as `1.5M`. *TIME* is in seconds, or with `s`, `m`, `h`, such as `2m`. What is less than \
    one byte or millisecond, but more than zero, counts as one. Of options that \
    contradict each other the last one counts.
    """

  static let otherTools: [Block] = [
    .opening(
      """
      Options of `curl`, `wget` and `aria2` are understood under their full names where they mean the same, and passed \
      over where they ask for what is always done. All others of theirs are refused with our equivalent, or the reason \
      why there is none. Where a name is also in the list above, it has the meaning told there.
      """),
    .paragraph(
      """
      Of their letters `-f`, `-g`, `-L`, `-R`, `-S`, `-Z`, `-nd`, `-nH` and `-np` ask for what is always done. `-s` is \
      `--quiet`, but `-s16` and `-s 16` are `--connections 16`; `-nc` is `--if-exists keep`, and `-nv` is \
      `--progress lines`. `-O` *FILE* *URL* names the file; before a URL, and in a bundle such as `-LO`, `-O` asks for \
      what is always done. `-C -` goes on with a part file. A letter that means different things to the tools is \
      refused. `-b` *NAME*`=`*VALUE* is a Cookie field, and `-b` *FILE* is `--load-cookies`; `-a` \
      *FILE* and `-l` *FILE* are `--log`; `-M` *FILE* is `--input-file`.
      """),
    .paragraph("The names that differ from ours, with ours:"),
  ]

  static let manifestsAndFiles: [Block] = [
    .section("MANIFESTS"),
    .opening(
      """
      A manifest names many files at once. It is read whole before anything starts: lines that cannot be understood, \
      or two different entries that would meet in one file, end the run with status 2; the first 20 problems are \
      printed with the numbers of their lines. Equal entries are one, with the checksums of all of their lines. The \
      manifest is read once more while the run lasts; one that has changed since, or cannot be read, stops the run with status 3. Names may lead into \
      subdirectories, but never out of the target directory. `swiftget-manifest`(5) describes the formats in full.
      """),
    .entry(
      "`urls`",
      """
      One URL a line. Empty lines and lines that begin with `#` are skipped. With `--base-url` a line may be a \
      reference relative to that URL. A digest may follow: \
      *URL*`#sha256=`*HEX*, also among other parts of the fragment (`#egg=x&sha256=`*HEX*), or *URL*`#`*HEX* with the \
      digits of an MD5, as in conda's lock files, or of a SHA-1, SHA-256, SHA-384 or SHA-512 digest. Base64 does as well \
      as *HEX*, and so does *URL*`#sha256-`*BASE64*, as in `integrity` attributes of HTML. What looks like such a digest and \
      cannot be understood is an error. On the command line it means the same.
      """),
    .entry(
      "`aria2`",
      """
      Input files of aria2: URLs of one file on one line, separated by TAB characters; under it, indented, its \
      options `out=`, `dir=`, `checksum=` and `header=`. A relative `dir=` is below the directory of `--dir`; an \
      absolute one is taken as it is, as `--dir` would be, and so is an absolute `out=`: in a regular file that belongs to \
      you or to root. Other lists need `--allow-absolute`. Outside of the directory of `--dir` a file is replaced only if \
      an earlier run has left it there as it is. Other options of aria2 are \
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
      names. A digest that stands alone in a file *NAME*`.sha256` or the like is that of *NAME*. They need `--base-url`.
      """),
    .example([
      "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08  a.iso",
      "SHA256 (b.iso) = 60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752",
    ]),
    .entry(
      "`metalink`",
      """
      Metalink 4 (RFC 5854, `.meta4`) and Metalink 3 (`.metalink`): files with their sizes, digests, digests of pieces, \
      and URLs, which are mirrors of each other. Only http and https URLs count; a file that has none is refused. See \
      `--metalink-language`, `--metalink-os` and `--metalink-location`.
      """),
    .entry(
      "`tsv`, `csv`",
      """
      Tables with a row for each file, quoted as in RFC 4180. Well-known names in the header decide (`url`, `filename`, \
      `size`, `md5`, `sha256`), or `--columns`. File reports of ENA, run tables of the SRA and, with `--url-template`, \
      manifests of the GDC are read as they are.
      """),
    .example(["url,filename,size,md5", "https://example.org/a.iso,isos/a.iso,4,098f6bcd4621d373cade4e832627b4f6"]),
    .entry(
      "`json`, `jsonl`",
      """
      Objects with `url`, `out`, `dir`, `size`, `checksum`, `headers`, `pieces`, as the file \
      `share/swiftget/manifest.schema.json` describes them: one on each line, or in a document of any length. \
      Also `datapackage.json`, and JSON of any form with `--columns`.
      """),
    .example([#"{"url": "https://example.org/a.iso", "out": "isos/a.iso", "size": 4}"#]),
    .entry(
      "`pooch`",
      "Registries of pooch: a name, a hash and perhaps a URL on each line. Names without a URL need `--base-url`."),
    .entry(
      "`bagit`",
      """
      A BagIt bag (RFC 8493): a directory with `bagit.txt`, or its `fetch.txt`. The payload files that are missing are \
      downloaded into the bag, and compared with the digests of all manifests. `--dir` need not be given; another \
      directory is refused. A `fetch.txt` without a bag is a list of URLs, lengths and names.
      """),
    .example(["swiftget -i bag"]),
    .paragraph(
      """
      With `--verify-signature` every list must have a signature by one of the given keys: beside it in \
      *LIST*`.minisig`, `.asc`, `.gpg`, `.sig` or `.sign`, in the list itself as signify and `gpg --clear-sign` do it, \
      or in the file of `--signature`. For a list from a URL they are downloaded from beside it. A list that is not \
      signed, or not as it was signed, ends the run with status 2 before anything is started, also with `--check`. URLs \
      of the command line need no signature.
      """),
    .section("DECISIONS"),
    .opening(
      """
      The first request is a plain GET, and its answer is the download. Further connections request ranges that are \
      not assigned yet. An answer to one is stored only if its status, its range, the complete length and the entity \
      tag or modification time match those of the first answer, or if a digest verifies the whole.
      """),
    .paragraph(
      """
      A file takes at most 16 requests, or as many as `--connections` says, and one more for each 4 MiB. Requests that \
      fail or are replaced do not count. No range is shorter than 64 KiB, but for the last one of the file and \
      replacements. A refused range does not fail a file that another answer is bringing; ranges are requested again, up to \
      three times, when the file has grown.
      """),
    .paragraph(
      """
      If the file has changed on the server, the download starts over with a message; after five times it fails with \
      status 9. Only a plain GET can bring another version: an answer to a range that does not match is dropped, and a \
      plain GET determines the version. An answer without entity tag and modification time never replaces a version \
      that had one, because an error page may have status 200; `--no-resume` starts over. Only an interrupted file of \
      the same length starts over by itself if the server no longer sends them. If the server sends neither an entity \
      tag nor a modification time that is old enough to be reliable, and no digest is known, the file is fetched by one \
      request and never resumed, except with `--trust-length`.
      """),
    .paragraph(
      """
      An entity tag names versions of one URL. The part file of another URL is used if a digest or piece hashes will \
      verify the whole. Without them it is used if you name both URLs (`--mirror`), or if they differ in the query only, \
      as signed URLs do, and the server's strong entity tag, length and modification time are those of the part file. \
      Otherwise the download starts over.
      """),
    .paragraph(
      """
      A body without a length that ends with its connection may be truncated. If no digest is known, it is fetched a \
      second time and compared (`--allow-unconfirmed` accepts the first). Over TLS such an end counts only if the \
      server has announced it (close_notify); otherwise the attempt has failed. Nor does the end of a stream of HTTP/2 \
      show that a body without a length is complete: without a digest such a file is requested over HTTP/1.1, or \
      fetched a second time if the server has nothing but HTTP/2. A file that does not match its digest \
      is fetched again, three times in all, or until the same content arrives a second time; then it is set aside and \
      the status is 9.
      """),
    .paragraph(
      """
      A file is reported as verified only if a digest from outside was computed over exactly its bytes and is equal: \
      one that was *given*, by the user or a list, or one that was *told by the server* in `Repr-Digest`, `Digest` or \
      `Content-MD5`. The output says which. The bytes of an interrupted run must match its digests, even if the next \
      command line gives none.
      """),
    .paragraph(
      """
      Mirrors that a server names in `Link` fields with `rel=duplicate` (Metalink/HTTP, RFC 6249), in a redirect or \
      with the file, join the file only if a digest other than MD5 and SHA-1 of the whole is given, or told by the \
      server in the answer. At most 20 join: by `--metalink-location`, then by `pri`. From https they lead to http only \
      if the digest is given. They bring ranges, they never decide which version is wanted, and of your headers and \
      credentials they get nothing. If the file does not match its digest, it is fetched again without them. For \
      standard output, and with hashes of pieces, they are not used. `-v` tells how many there are. A Metalink that a \
      server names is not fetched; give it with `--input-file`.
      """),
    .paragraph(
      """
      Failed connections, timeouts, truncated bodies, and the answers 408, 425, 429, 500, 502, 503, 504 and 520 to 524 \
      are retried after 1, 2, 4 and more seconds, about half of which is random, up to `--retry-wait`. `Retry-After` \
      is obeyed up to that time, for all files of the host. Attempts that record at least 4 KiB do not count against \
      `--tries`. An unreachable host is probed once for all its files at each step, and after `--tries` steps they \
      fail together; a name that the resolver does not know is tried twice. While a host does not answer, or has asked \
      for a pause, its files have a quarter of the places that `--jobs` gives, and files of other hosts go on. 403 is \
      retried so, too, if it has `Retry-After`, if a field such as `RateLimit` or `X-RateLimit-Remaining` says that no \
      requests are left, or if the URL has served before; after `--tries` steps each file of the host fails at once, \
      with status 8. Other answers are final, except that after a refusal by a redirect's target that has served the \
      original URL is requested again. A redirect with `Retry-After` is followed after that time.
      """),
    .paragraph(
      """
      A server that fails where HTTP/2 is offered is asked with HTTP/1.1 next. Where an address accepts the connection \
      and is silent, the next attempt uses the other family of addresses.
      """),
    .paragraph(
      """
      An existing file is kept if it matches its digest, or if swiftget's mark says that it is from this URL and \
      unchanged. Otherwise one request compares the length: an equal one is kept, a different one fails with a hint. A \
      file that does not match its digest is replaced, but not before the new one is verified. A symbolic link is \
      never written through.
      """),
    .paragraph(
      """
      Rate limits count the bodies of answers as they are read, over spans of a second; no span exceeds the limit by \
      more than 5 %. With a limit below 64 KiB a second it may be up to 1 KiB more, and after a change during a \
      transfer 16 KiB more for each connection. Data that the kernel has received and swiftget has not read yet, about \
      100 KiB for each connection, is not counted, so the first second looks larger to the server. Files share a limit \
      in turns, and a throttled transfer does not count as stalled. With a limit each transfer has its own connection, \
      with HTTP/1.1.
      """),
    .paragraph(
      """
      A file of known length is started only if it fits: the file system must have space for the missing bytes of all \
      active files, besides a reserve of 1 % of its size, at most 8 MiB. A file that does not fit fails alone, with \
      status 3. A file system that is full, or down to the reserve, stops the files on it, and those on other file \
      systems go on; the same command continues when there is space.
      """),
    .section("NETRC FILES"),
    .opening(
      """
      A netrc file, as ftp, curl and wget read it, has entries of words between blanks and line ends: `machine` *HOST* \
      `login` *NAME* `password` *TEXT*. `default` in place of `machine` *HOST* is for all hosts that have no entry that \
      fits. A text with blanks is put in quotation marks, within which `\\"`, `\\\\`, `\\n`, `\\r` and `\\t` mean what \
      they do in C. `#` begins a comment at the start of a line or before a keyword, and is part of a text elsewhere. \
      `account` with its word and `macdef` with its lines up to an empty one are passed over.
      """),
    .paragraph(
      """
      An entry of a machine is used whenever that machine is asked over `https`, after redirects too, and over `http` if \
      you named its URL. `default` is for servers that you named. The first entry of a host with a name or a password \
      counts; of several passwords in an entry the last one does. What an entry lacks is empty: it is not taken from \
      another entry, and where a machine has an entry `default` is not used for it. An entry with `port` *NUMBER* holds for that port only. Where the URL or `--user` gives a name without a password, \
      the first entry counts that has a password and this name, or no name. Without such an entry an empty password is \
      sent, never that of another name. A name with a password in the URL or in `--user` counts more than the file.
      """),
    .paragraph(
      """
      The file is read once, before the start. One that cannot be understood ends the run with status 2; the error names \
      the line. There need not be a `~/.netrc`, which is looked for in the directory of the environment variable `HOME`, \
      or without it of the user database.
      """),
    .example([
      "machine example.org login anna password \"a b#c\"", "machine example.org login ben password s3cret",
      "default login anonymous password anna@example.org",
    ]),
    .section("COOKIES"),
    .opening(
      """
      Without options about cookies, one that a redirect sets is sent with the further requests for the same file that it \
      is meant for, and then forgotten: some servers redirect to a login and back. With `--load-cookies` or `--save-cookies` a run keeps cookies: one that an answer sets, a redirect to a login \
      included, is sent with the later requests of all files and mirrors that it is meant for. So is one that comes with \
      a list from a URL. They go by their own rules, to the domain, path and scheme that they name until they expire, \
      also to servers that you did not name; cookies for a whole public suffix such as `co.uk` are refused where \
      libcurl knows these. Cookies of `--header` are sent beside them. They are never shown, and stored nowhere else.
      """),
    .paragraph(
      """
      The saved file is readable by its owner only. It replaces the old one as a whole, and a symbolic link with it; \
      what was in it is lost unless `--load-cookies` names it, too. Of two runs at the same time the one that ends \
      last wins. A file that cannot be saved is reported, and the status is 3 unless an earlier one of EXIT STATUS \
      applies.
      """),
    .section("FILES"),
    .entry(
      "*NAME*`.swiftget-part`",
      """
      The bytes of an unfinished file, in the target's directory. It is renamed to *NAME* when it is complete, \
      verified and on stable storage.
      """),
    .entry(
      "*NAME*`.swiftget-bad`",
      "Content that did not match its digest, kept for inspection; the next one replaces it."),
    .entry(
      "*NAME*`.swiftget`",
      """
      The sidecar: which bytes of the part file count, and of which version of the file they are; see \
      `swiftget-sidecar`(5). It has no credentials. A sidecar that is damaged or does not match is ignored with a \
      message, and the file starts over. You may remove both files together when no run is active.
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
    .entry("*DIR*`.swiftget-next`", "The next set of files for *DIR*; see ATOMIC SETS."),
    .paragraph("A file that would have a name with one of these endings is refused."),
    .paragraph(
      """
      The files of `--report`, `--failed`, `--lock`, `--save-cookies` and `--log` must be different ones, none that the run \
      reads, and none that it downloads: the run ends with status 2 before the start. `--save-cookies` may update the file \
      of `--load-cookies`, and `--lock` that of `--frozen`. In a bag they may only be beside the payload, and none of the \
      bag's own files. With `--content-disposition` a file to which the server gives \
      such a name fails.
      """),
    .paragraph(
      """
      One run at a time downloads a file; others look at it again when they have done the rest, and see `--lock-wait`. \
      That holds on file systems without locks too, but only for runs on one machine.
      """),
    .entry("`~/.config/swiftget/config`", "Options for every run; see CONFIGURATION."),
    .entry("`~/.netrc`", "Names and passwords of servers, read with `--netrc`."),
    .paragraph(
      """
      Finished files carry extended attributes where the file system has them: `user.xdg.origin.url`, \
      `user.swiftget.verified`, and for SHA-256 `user.shatag.sha256` and `user.shatag.ts`. By these a later run knows \
      a verified file without reading it, as long as nothing has been done to it since: after a `chmod`, a new link or \
      a rename it is read once, or its length is asked for where no digest is known. `--timestamping` adds \
      `user.swiftget.etag`, the server's entity tag. None are set with `--no-sync`.
      """),
    .entry(
      "`~/.cache/swiftget/finished-`*HEX*",
      """
      An index of the finished files of a list, with the same marks as these attributes, for the next run with this list \
      and directory: it looks at each file once, and needs no attributes. Where the command, its working directory and its \
      inputs are the same as well, and all files are as they were left, it does not even read the lists. Inputs are \
      lists, manifests of bags, keys and signatures of lists, lock files, the configuration and the variables under \
      ENVIRONMENT: regular files with the same inode, length, modification time and change time. A list that comes \
      through a pipe or from a URL is always read, and every list with `-v`, `--report`, `--failed`, `--log` and \
      the like, which tell of each file. The index is written where a list has 1000 finished \
      files or more, or where the file system has no attributes, and not with `--no-sync`, `--timestamping`, \
      `--if-exists` or `--atomic`. A record counts only for a file with the same inode, length, modification time and \
      change time. You may remove the index at any time; one that was not used for 180 days is removed. Without a home \
      directory of your own there is none.
      """),
  ]
}
