internal import DownloadCore

extension OptionTable {
  static let unattendedOptions: [OptionSpec] = [
    OptionSpec(
      id: .changedExit, long: "changed-exit", argument: .required("N"),
      effect: .value(\.unattended.changedExit) { try $0.changedExit() }, verbs: .downloads,
      summary: "Exit status where something was downloaded",
      detail: """
        End a run without failures in which at least one file was downloaded or replaced with status *N* instead of 0, \
        so that 0 means that nothing was new. *N* is from 1 to 255 and none of swiftget's own; see EXIT STATUS.
        """,
      example: "swiftget --changed-exit 10 -i urls.txt",
      group: .unattended, defaultText: "0"),
    OptionSpec(
      id: .deadline, long: "deadline", argument: .required("TIME|HH:MM"),
      effect: .value(\.unattended.deadline) { try $0.deadline() }, verbs: .downloads,
      summary: "End the whole run then; it goes on in the next one",
      detail: """
        End the whole run after *TIME*, suspensions of the machine included, or when local clocks show *HH:MM* next; 0 \
        is no limit. Nothing new is started then, running transfers end with their bytes kept for the next run, and the \
        status is 75, or that of an earlier failure. With both forms the last one counts.
        """,
      example: "swiftget --deadline 06:00 -i urls.txt",
      group: .unattended, defaultText: "0"),
    OptionSpec(
      id: .splay, long: "splay", argument: .required("TIME"),
      effect: .value(\.unattended.splay) { try $0.runDuration() }, verbs: .downloads,
      summary: "Wait a random time up to TIME before the first request",
      detail: """
        Wait a random time of at most *TIME* before the first request, so that many machines do not ask a server at the \
        same moment. It counts for no other limit, except that a `--deadline` *HH:MM* may pass meanwhile. Mistakes in \
        the command line and in local lists are told before the wait, unless a list comes from a URL.
        """,
      example: "swiftget --splay 30m -i urls.txt",
      group: .unattended, defaultText: "0"),
    OptionSpec(
      id: .lockWait, long: "lock-wait", argument: .required("TIME"),
      effect: .value(\.settings.limits.lockWait) { try $0.runDuration() }, verbs: .downloads,
      summary: "Wait for files that other runs hold",
      detail: """
        When everything else is done, wait up to *TIME* for files that other runs of swiftget are downloading. What \
        they finish is kept, and what they give up is downloaded; the others fail with status 75. By default (`auto`) \
        the run waits for 3 seconds, and not at all if it had nothing else to do.
        """,
      example: "swiftget --lock-wait 10m -i urls.txt",
      group: .unattended, defaultText: "auto"),
    OptionSpec(
      id: .onComplete, long: "on-complete", argument: .required("CMD"),
      effect: .value(\.unattended.hooks[.complete]) { try $0.command() }, verbs: .downloads,
      summary: "Run this command for each downloaded file",
      detail: """
        Run *CMD* once for each file that was downloaded or replaced, after it has its name. What is known about the \
        file is in the environment, such as `SWIFTGET_PATH`, and its SHA-256 is computed; see HOOKS. If *CMD* changes \
        the content, later runs do not take the file for a verified one.
        """,
      example: "swiftget -i urls.txt --on-complete ./import.sh",
      group: .unattended, defaultText: "", disclosure: .nothing),
    OptionSpec(
      id: .onFailure, long: "on-failure", argument: .required("CMD"),
      effect: .value(\.unattended.hooks[.failure]) { try $0.command() }, verbs: .downloads,
      summary: "Run this command for each file that failed",
      detail: "Run *CMD* once for each file that has failed; the reason is in `SWIFTGET_ERROR`. See HOOKS.",
      example: "swiftget -i urls.txt --on-failure ./report.sh",
      group: .unattended, defaultText: "", disclosure: .nothing),
    OptionSpec(
      id: .onExit, long: "on-exit", argument: .required("CMD"),
      effect: .value(\.unattended.hooks[.exit]) { try $0.command() }, verbs: .downloads,
      summary: "Run this command once, at the end",
      detail: """
        Run *CMD* once, when everything else has ended, however it did; the exit status is in `SWIFTGET_EXIT`. See HOOKS.
        """,
      example: "swiftget -i urls.txt --on-exit ./report.sh",
      group: .unattended, defaultText: "", disclosure: .nothing),
    OptionSpec(
      id: .hookTimeout, long: "hook-timeout", argument: .required("TIME"),
      effect: .value(\.unattended.hookTimeout) { try $0.timeLimit() }, verbs: .downloads,
      summary: "Time for each of these commands",
      detail: "End a command of the three options above that lasts longer than *TIME*; 0 is no limit.",
      example: "swiftget -i urls.txt --on-complete ./import.sh --hook-timeout 10m",
      group: .unattended, defaultText: "60s"),
    OptionSpec(
      id: .verifyCommand, long: "verify-command", argument: .required("CMD"),
      effect: .value(\.settings.target.verifyCommand) { VerifyCommand(try $0.command()) }, verbs: .downloads,
      summary: "Accept a file only if this command ends with status 0",
      detail: """
        Run *CMD* for each file that is complete and matches its digests, before it gets its name. The path of the part \
        file is its last argument, or stands in the place of a word `{}`, and in `SWIFTGET_PATH`. Any status but 0 \
        rejects the file: it is set aside as *NAME*`.swiftget-bad`, not fetched again in this run, and fails with \
        status 9. *CMD* is run without a shell, at most \(ChildMachine.most) at a time, with no time limit but \
        `--max-time`. A file that it writes to fails with status 9, too. Files that were there already are not judged. See HOOKS.
        """,
      example: "swiftget --verify-command 'tar -tf' https://example.org/src.tar.gz",
      group: .existing, disclosure: .nothing),
    OptionSpec(
      id: .notify, long: "notify",
      effect: .flag(\.unattended.notifies), verbs: .downloads,
      example: "swiftget --notify -i urls.txt",
      group: .unattended, isHidden: true),
  ]
}
