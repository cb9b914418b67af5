import DownloadCore

extension ManPageText {
  static let reports: [Block] = [
    .section("REPORTS"),
    .opening(
      """
      The file of `--report` is one JSON document, which `share/swiftget/report.schema.json` describes: `version` (1, of \
      this format), `started` and `ended` (UTC, as `2026-01-31T23:59:59.001Z`), `status` (the exit status, but for a failure \
      of the hook of `--on-exit`, which may read the report), `options`, `totals` and `items`; with `--atomic` also `published`, which is \
      true if the whole set is in place; and where `--keep-going` left out entries, `invalid` with their `count` and the \
      `messages` of the first ones. Later versions may add members. Sizes are in bytes, times in seconds; what is not known is \
      `null`.
      """),
    .entry(
      "`options`",
      """
      The options of the command line, each with its long `name` and its `value`. Names and passwords are left out, and \
      so are the values of header fields and the queries of URLs: `…` stands for them.
      """),
    .entry(
      "`totals`",
      """
      `files`, and how many of them were `downloaded`, `kept`, `failed`, `unfinished`, `not_started`, `cancelled` and \
      `removed`; `bytes_fetched` (from the network), `bytes_total` (the sizes of the files in place), `seconds`.
      """),
    .entry(
      "`items`",
      """
      An object for each file, on a line of its own: first those that ended, in this order, then the others in the \
      order of the input. `item` is the position in the input, from 0, and `source` the `file` and the `line` of a \
      list. `urls` has the URL and the mirrors, `final_url` the URL that served the file, after redirects. `path` is \
      absolute; one that is not UTF-8 has U+FFFD in it, and its bytes in hexadecimal as `path_bytes`. `size` is that of \
      the file, or of its part file. `digest` has `algorithm`, `value` and `from` (`given` or `server`), where the \
      content was compared with one and matches. `outcome` is one of the names in `totals`; `error` has `code` and \
      `message`, as in `--progress json`; `http_status` is that of the answer that decided. `mirrors` has the `url` and \
      the `bytes` of each URL that sent content. `bytes_fetched`, `retries` (how often something was asked for again), \
      `seconds` and `started` are those of this run.
      """),
    .paragraph(
      """
      The file is replaced as a whole when the run ends, also after a signal, where the input is read once more first to \
      list what was not started. A run that starts nothing, because of an error of usage or of a list that cannot be \
      read, leaves it as it was. Where it cannot be written, the status is 3 unless an earlier one of EXIT STATUS \
      applies.
      """),
    .paragraph(
      """
      `--merge-reports` makes one report of several, of files of any size: their items one after the other, with the \
      numbers that they have, the sums of the totals, all options, the earliest start and the latest end. The status is \
      the first of those in EXIT STATUS that occurred, and that of a signal only where nothing else was wrong. A file \
      that is no report, or is not whole, ends it with status 2 and a message with the reason, and nothing is written.
      """),
    .example([
      "swiftget -i urls.txt --report report.json",
      "swiftget --merge-reports -o week.json monday.json tuesday.json",
      #"jq -r '.items[] | select(.outcome == "failed") | .path' report.json"#,
    ]),
  ]
}
