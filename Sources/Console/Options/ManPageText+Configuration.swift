import DownloadCore

extension ManPageText {
  /// Options that hold for every run.
  static let configuration: [Block] = [
    .section("CONFIGURATION"),
    .opening(
      """
      Options that hold for every run are read from `$XDG_CONFIG_HOME/swiftget/config`, or `~/.config/swiftget/config` \
      where the variable is not set, and from the variable `SWIFTGET_OPTIONS`. The command line counts most, then the \
      variable, then the file: of contradicting options the one that counts most holds, and the other one is dropped, as \
      `--output-template` of the file beside `-o` of the command line. Within one of the three they are an error, and \
      so are options that contradict each other only by their values, as `--verify-command` of the file beside `-o -`; the \
      error tells where the option stands. A missing file is no error, unless `--config` \
      names it. One that is there and cannot be read is passed over with a warning, as curl passes over its own: limits \
      that it sets do not hold then. With `--config` it ends the run.
      """),
    .paragraph(
      """
      A line of the file is *NAME*` = `*VALUE*, with the long name of an option without its dashes; *NAME* alone, or \
      *NAME*` = true`, for one without an argument, which *NAME*` = false` leaves out; empty; or a comment that begins with \
      `#`. Blanks around *VALUE* are left out, and quotation marks belong to it. Relative paths start at the working \
      directory. `SWIFTGET_OPTIONS` has options as on the command line, quoted as for a shell, which expands nothing in it.
      """),
    .paragraph(
      """
      Of `--header` all lines are sent, but one replaces those of the same name that count less. Other options that may \
      be given several times add up. `--log-format` holds for runs that have a log. What one run does cannot stand there: URLs, lists and what belongs to them, \
      `--output`, `--checksum`, `--mirror`, `--include`, `--exclude`, `--shard`, `--atomic`, `--lock`, `--frozen`, \
      `--failed`, `--report`, and commands such as `--check`.
      """),
    .paragraph(
      """
      Below a line `[host` *NAME* ...`]` options are for hosts with one of these names, in which `*` stands for any text \
      and `?` for one character: \
      \(OptionTable.options.filter { StandingRules.mayBeOfHost($0.id) }.map { "`\($0.long)`" }.joined(separator: ", ")). \
      `limit-rate` is there a limit for each of these hosts, beside that of the run, and `netrc` and `netrc-file` say \
      where the name and password for the host are. Options of a section count more than those above the sections and less than the variable and the command line, and of several \
      sections the last one counts. A section names no server: credentials and headers go only to hosts that the command \
      line or a local list names. The user and password in a URL count more than all.
      """),
    .paragraph(
      """
      A line that is wrong ends the run with status 2 before anything is started. A warning tells of a file with secrets \
      that others may read.
      """),
    .example([
      "# ~/.config/swiftget/config", "jobs = 8", "limit-rate = 08:00,2M 19:00,off", "netrc", "",
      "[host *.example.org]", "max-connections-per-host = 4", "limit-rate = 500K", "header = X-Project: 17",
    ]),
  ]
}
