internal import DownloadCore

extension OptionTable {
  static let unattendedOptions: [OptionSpec] = [
    OptionSpec(
      id: .changedExit, long: "changed-exit", argument: .required("N"),
      effect: .value(\.unattended.changedExit) { try $0.changedExit() }, verbs: .downloads, scope: .command,
      summary: "Exit status if something was downloaded",
      detail: """
        Use exit status *N* instead of 0 if a file was downloaded or replaced, so that 0 means that nothing was new. \
        *N* is 1 to 255, except the statuses under EXIT STATUS.
        """,
      example: "swiftget --changed-exit 10 -i urls.txt",
      group: .unattended, defaultText: "0"),
    OptionSpec(
      id: .deadline, long: "deadline", argument: .required("TIME|HH:MM"),
      effect: .value(\.unattended.deadline) { try $0.deadline() }, verbs: .downloads.union([.queue]), scope: .command,
      summary: "Stop the whole run at this time; the next run continues",
      detail: """
        Stop the whole run after *TIME*, including the time that the machine is suspended, or when local time is \
        *HH:MM* next. 0 is no limit. Active files are saved for the next run, and the exit status is 75 or that of \
        an earlier failure.
        """,
      example: "swiftget --deadline 06:00 -i urls.txt",
      group: .unattended, defaultText: "0"),
    OptionSpec(
      id: .splay, long: "splay", argument: .required("TIME"),
      effect: .value(\.unattended.splay) { try $0.runDuration() }, verbs: .downloads, scope: .command,
      summary: "Wait a random time up to TIME before the first request",
      detail: """
        Wait a random time of at most *TIME* before the first request, so that many machines do not ask a server at \
        the same moment. The wait does not count against other limits, but a `--deadline` *HH:MM* can pass during \
        it. Errors in the command line and in local lists are reported before the wait.
        """,
      example: "swiftget --splay 30m -i urls.txt",
      group: .unattended, defaultText: "0"),
    OptionSpec(
      id: .lockWait, long: "lock-wait", argument: .required("TIME"),
      effect: .value(\.settings.limits.lockWait) { try $0.runDuration() }, verbs: .downloads, scope: .command,
      summary: "Wait for files that other runs download",
      detail: """
        At the end, wait up to *TIME* for files that other runs of swiftget are downloading. Files that they finish \
        are kept, files that they give up are downloaded, and the rest fails with status 75. With `auto`, the \
        default, the run waits for 3 seconds if it had other work, and otherwise not at all.
        """,
      example: "swiftget --lock-wait 10m -i urls.txt",
      group: .unattended, defaultText: "auto"),
    OptionSpec(
      id: .onComplete, long: "on-complete", argument: .required("CMD"),
      effect: .value(\.unattended.hooks[.complete]) { try $0.command() }, verbs: .storing, scope: .worker,
      summary: "Run this for each downloaded file, $SWIFTGET_PATH",
      detail: """
        Run *CMD* for each downloaded or replaced file, after the file has its name. The environment has \
        `SWIFTGET_PATH` and others. If *CMD* changes the file, later runs do not treat it as verified. `--background` \
        and `ctl add` keep *CMD* with the files. See HOOKS in `swiftget-guide`(7).
        """,
      example: "swiftget -i urls.txt --on-complete ./import.sh",
      group: .unattended, defaultText: "", disclosure: .nothing),
    OptionSpec(
      id: .onFailure, long: "on-failure", argument: .required("CMD"),
      effect: .value(\.unattended.hooks[.failure]) { try $0.command() }, verbs: .storing, scope: .worker,
      summary: "Run this command for each file that failed",
      detail: """
        Run *CMD* for each file that failed. `SWIFTGET_ERROR` contains the reason. See HOOKS in `swiftget-guide`(7).
        """,
      example: "swiftget -i urls.txt --on-failure ./report.sh",
      group: .unattended, defaultText: "", disclosure: .nothing),
    OptionSpec(
      id: .onExit, long: "on-exit", argument: .required("CMD"),
      effect: .value(\.unattended.hooks[.exit]) { try $0.command() }, verbs: .storing, scope: .worker,
      summary: "Run this command once, at the end",
      detail: """
        Run *CMD* once after everything else, whatever the outcome. `SWIFTGET_EXIT` contains the exit status. See \
        HOOKS in `swiftget-guide`(7).
        """,
      example: "swiftget -i urls.txt --on-exit ./report.sh",
      group: .unattended, defaultText: "", disclosure: .nothing),
    OptionSpec(
      id: .hookTimeout, long: "hook-timeout", argument: .required("TIME"),
      effect: .value(\.unattended.hookTimeout) { try $0.timeLimit() }, verbs: .storing, scope: .worker,
      summary: "Time limit for each hook",
      detail: """
        Stop a command of `--on-complete`, `--on-failure` or `--on-exit` that takes longer than *TIME*. 0 is no \
        limit.
        """,
      example: "swiftget -i urls.txt --on-complete ./import.sh --hook-timeout 10m",
      group: .unattended, defaultText: "60s"),
    OptionSpec(
      id: .verifyCommand, long: "verify-command", argument: .required("CMD"),
      effect: .value(\.settings.target.verifyCommand) { VerifyCommand(try $0.command()) },
      verbs: .downloads.union([.queue]), scope: .task,
      summary: "Accept a file only if this command succeeds",
      detail: """
        Run *CMD* for each file that is complete and matches its digests, before it gets its name. The path of the \
        part file replaces a word `{}` or is the last argument. If *CMD* fails or changes the file, the file is set \
        aside as *NAME*`.swiftget-bad` and fails with status 9. Files that existed before are not checked. See HOOKS \
        in `swiftget-guide`(7).
        """,
      example: "swiftget --verify-command 'tar -tf' https://example.org/src.tar.gz",
      group: .existing, disclosure: .nothing),
    OptionSpec(
      id: .notify, long: "notify",
      effect: .flag(\.unattended.notifies), verbs: .downloads, scope: .command,
      example: "swiftget --notify -i urls.txt",
      group: .unattended, isHidden: true),
  ]
}
