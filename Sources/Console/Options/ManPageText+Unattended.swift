import DownloadCore

extension ManPageText {
  /// Runs that are started by cron, timers and scripts.
  static let unattended: [Block] = [
    .section("HOOKS"),
    .opening(
      """
      The commands of `--on-complete`, `--on-failure` and `--on-exit` are split into words as a shell does it, with \
      quotation marks and backslashes, and run without a shell, so that no name of a file can do harm. Use \
      `sh -c '`*SCRIPT*`'` for a shell, and write `\"$SWIFTGET_PATH\"` with the quotation marks in *SCRIPT*.
      """),
    .paragraph(
      """
      The hook of a file is run once, after the file has its name or has failed; files that were there already have \
      none. At most \(ChildMachine.most) hooks run at a time, and downloads do not wait for them; the run ends when all \
      of them have ended. Then the hook of `--on-exit` runs. A hook that lasts longer than `--hook-timeout` gets \
      SIGTERM and 5 seconds later SIGKILL, with all processes of its group.
      """),
    .paragraph(
      """
      A hook that fails is told as a warning with its file and its command, the first \(HookQueue.mostTold) also with \
      `-q`, and a run without other failures ends with status 1. After a signal no \
      further hook of a file starts, and those that run may end; a second signal ends them. The hook of `--on-exit` runs \
      also then, and a signal ends it. After a `--deadline` all hooks run. If that of `--on-exit` fails, the `status` of \
      `--progress json` is still the one before.
      """),
    .paragraph(
      """
      Standard input of a hook is `/dev/null`; what it writes goes to the standard error of swiftget. It gets no other \
      descriptors, and signals do what they do by default. Its environment is that of swiftget and, as far as they are \
      known:
      """),
    .entry("`SWIFTGET_PATH`", "The file, absolute."),
    .entry("`SWIFTGET_URL`", "Its URL, without a password."),
    .entry("`SWIFTGET_FINAL_URL`", "The URL that answered last, after redirects, without its query."),
    .entry("`SWIFTGET_SIZE`", "The bytes of the file; after a failure, those that the next run goes on from."),
    .entry(
      "`SWIFTGET_SHA256`, `SWIFTGET_MD5`, ...",
      "Digests that were verified, or computed for `--lock`, in hexadecimal; `SHA3_256` and `BLAKE2B` as well."),
    .entry("`SWIFTGET_OUTCOME`", "`downloaded` or `failed`; at the end `succeeded`, `failed` or `interrupted`."),
    .entry("`SWIFTGET_EXIT`", "The exit status, of the file's failure or of the run."),
    .entry("`SWIFTGET_ERROR`", "The message of a failure."),
    .entry("`SWIFTGET_REPORT`", "At the end, the file of `--report`, absolute."),
    .example([
      #"swiftget -i urls.txt --on-complete 'sh -c "gunzip -k -- \"\$SWIFTGET_PATH\""' --on-exit 'logger -t swiftget done'"#
    ]),
    .section("CRON AND TIMERS"),
    .opening(
      """
      With `-q` a run without failures prints nothing, so that cron sends mail only when something has failed. Standard \
      descriptors may be closed, and neither `HOME` nor any other variable is needed. Commands of hooks without a slash \
      are looked for in `PATH`, which is short in cron: name them with their directories. A `%` in a crontab is \
      written `\\%`.
      """),
    .example([
      "17 2 * * *  swiftget -q -d /srv/data -i /etc/data-urls.txt --splay 30m --deadline 06:00 --lock-wait 10m"
    ]),
    .paragraph(
      """
      A run that is started while the one before is still at work leaves that one's files alone, and ends with status 75 \
      if it is not finished in time. `share/swiftget/examples` has a service and a timer for systemd.
      """),
  ]
}
