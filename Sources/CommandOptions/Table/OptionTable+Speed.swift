internal import DownloadCore

/// How fast a run may be, and when it gives up.
extension OptionTable {
  static let speedOptions: [OptionSpec] = [
    OptionSpec(
      id: .jobs, long: "jobs", short: "j", argument: .required("N"),
      effect: .value(\.settings.limits.jobs) { try $0.automaticCount(in: 1...1000) },
      verbs: .workers, scope: .limits,
      summary: "Files at the same time",
      detail: """
        Download *N* files at the same time, 1 to 1000. The default, `auto`, is as many as the servers accept. \
        A file that waits for more than five seconds before its next request does not count.
        """,
      example: "swiftget -j 8 -i urls.txt",
      group: .speed, defaultText: "auto", isCommon: true),
    OptionSpec(
      id: .connections, long: "connections", aliases: ["split"], short: "x", argument: .required("N"),
      effect: OptionEffect {
        $0.invocation.settings.file.maxConnections = try $0.connectionLimits.take($1) ?? FileSettings.usualConnections
      },
      verbs: .fetches, scope: .task,
      summary: "Connections for one file",
      detail: """
        Use up to *N* connections for one file, 1 to 256. With `auto`, the default, connections are added while the \
        total rate grows, up to 16. If both `-x` and aria2's `-s` (`--split`) are given, the smaller number applies.
        """,
      example: "swiftget -x 4 https://example.org/a.iso",
      group: .speed, defaultText: "auto", isCommon: true),
    OptionSpec(
      id: .minSplitSize, long: "min-split-size", short: "k", argument: .required("SIZE"),
      effect: .value(\.settings.file.minSplitSize) { try $0.splitSize() },
      summary: "Smallest part of a divided range",
      detail: """
        Divide no range into parts smaller than *SIZE*, at least 64K. A shorter rest goes to another connection only \
        if its own is very slow. With `auto`, slow connections get short parts. `-k` does not mean `--insecure` as in curl.
        """,
      example: "swiftget -k 4M https://example.org/a.iso",
      group: .speed, defaultText: "auto"),
    OptionSpec(
      id: .maxConnectionsPerHost, long: "max-connections-per-host", argument: .required("N"),
      effect: OptionEffect {
        try $0.set(
          maxConnectionsPerHost: $1.automaticCount(in: 1...1000) ?? RunLimits.usualConnectionsPerHost)
      },
      isForHosts: true,
      summary: "Connections to one host, for all files",
      detail: """
        Open at most *N* connections to one host for all files, 1 to 1000. `auto` is up to 64.
        """,
      example: "swiftget --max-connections-per-host 8 -i urls.txt",
      group: .speed, defaultText: "auto"),
    OptionSpec(
      id: .limitRate, long: "limit-rate", argument: .required("RATE"),
      effect: OptionEffect { try $0.set(limitRate: $1.timetable()) }, verbs: .workers, scope: .limits, isForHosts: true,
      summary: "Bytes per second in total: 2M, or '08:00,2M 19:00,off'",
      detail: """
        Receive at most *RATE* bytes per second in total; `off` or 0 is no limit. *RATE* may be a timetable, quoted \
        as one argument: entries *HH:MM*`,`*RATE* separated by spaces. Each applies from its local time until that of \
        the next one. See RATE LIMITS in `swiftget-guide`(7).
        """,
      example: "swiftget --limit-rate '08:00,2M 19:00,off' -i urls.txt",
      group: .speed, defaultText: "off", isCommon: true),
    OptionSpec(
      id: .limitRequests, long: "limit-requests", argument: .required("N/TIME"),
      effect: OptionEffect { try $0.set(requestsPerSecond: $1.requestRate()) }, verbs: .workers, scope: .limits,
      isForHosts: true,
      summary: "Requests per time, such as 3/s or 30/m",
      detail: """
        Start at most *N/TIME* requests to all hosts together, evenly spaced: `3/s`, `30/m`, `1/10s`; `off` is no \
        limit. A `[host]` section of the configuration limits each of its hosts. Without this option swiftget finds \
        the rate that a host accepts.
        """,
      example: "swiftget --limit-requests 3/s -i urls.txt",
      group: .speed, defaultText: "off"),
    OptionSpec(
      id: .limitRatePerFile, long: "limit-rate-per-file", argument: .required("RATE"),
      effect: .value(\.settings.limits.limitRatePerFile) { try $0.timetable() },
      verbs: .fetches, scope: .task,
      summary: "Bytes per second for each file, like --limit-rate",
      detail: """
        Receive at most *RATE* bytes per second for each file, over all its connections: a rate or a timetable as \
        for `--limit-rate`.
        """,
      example: "swiftget --limit-rate-per-file 5M -i urls.txt",
      group: .speed, defaultText: "off"),
  ]

  static let patienceOptions: [OptionSpec] = [
    OptionSpec(
      id: .tries, long: "tries", short: "t", argument: .required("N"),
      effect: .value(\.settings.file.tries) { try $0.tries() },
      verbs: .fetches, scope: .task,
      summary: "Consecutive attempts without progress",
      detail: """
        Give up on a file after *N* consecutive attempts without progress. *N* is at most 10000; 0 means 10000. Each \
        attempt resumes the bytes that are there. An unreachable host is tried once for all its files.
        """,
      example: "swiftget -t 10 https://example.org/a.iso",
      group: .patience, defaultText: "5", isCommon: true),
    OptionSpec(
      id: .retryWait, long: "retry-wait", argument: .required("TIME"),
      effect: .value(\.settings.file.retryWait) { try $0.duration(in: .zero...OptionArgument.day) },
      summary: "Longest pause between attempts",
      detail: """
        The pauses between attempts grow up to *TIME*. A server's `Retry-After` is obeyed up to this time.
        """,
      example: "swiftget --retry-wait 5m https://example.org/a.iso",
      group: .patience, defaultText: "60s"),
    OptionSpec(
      id: .timeout, long: "timeout", short: "T", argument: .required("TIME"),
      effect: .value(\.settings.transport.stallTimeout) {
        try $0.duration(in: .milliseconds(100)...OptionArgument.day)
      },
      verbs: .fetches, scope: .task,
      summary: "Drop a connection without data after this time",
      detail: "Drop a connection that receives no data for *TIME*, at most a day, and try again.",
      example: "swiftget -T 10 https://example.org/a.iso",
      group: .patience, defaultText: "30s", isCommon: true),
    OptionSpec(
      id: .connectTimeout, long: "connect-timeout", argument: .required("TIME"),
      effect: .value(\.settings.transport.connectTimeout) {
        try $0.duration(in: .milliseconds(100)...OptionArgument.day)
      },
      verbs: .fetches, scope: .task,
      summary: "Stop connecting after this time",
      detail: "Stop connecting after *TIME*, or that of `--timeout` if it is shorter; at most a day.",
      example: "swiftget --connect-timeout 5 https://example.org/a.iso",
      group: .patience, defaultText: "15s"),
    OptionSpec(
      id: .maxTime, long: "max-time", argument: .required("TIME"),
      effect: .value(\.settings.limits.maxTime) { try $0.timeLimit() },
      verbs: .fetches, scope: .task,
      summary: "Time limit for one file; its bytes are kept",
      detail: """
        Stop a file that is not complete after *TIME*, and keep its bytes for the next run (exit status 75). 0 is no \
        limit.
        """,
      example: "swiftget --max-time 10m -i urls.txt",
      group: .patience, defaultText: "0"),
    OptionSpec(
      id: .maxFilesize, long: "max-filesize", argument: .required("SIZE"),
      effect: .value(\.settings.file.maxFilesize) { try $0.sizeLimit() },
      summary: "Refuse files longer than this",
      detail: "Refuse files longer than *SIZE*. 0 is no limit. Endless bodies end here.",
      example: "swiftget --max-filesize 4G -i urls.txt",
      group: .patience, defaultText: "0"),
    OptionSpec(
      id: .maxRedirect, long: "max-redirect", aliases: ["max-redirs"], argument: .required("N"),
      effect: .value(\.settings.file.maxRedirects) { try $0.count(in: 0...1000) },
      summary: "Follow at most this many redirects",
      detail: "Follow at most *N* redirects for one file, 0 to 1000, and only to http and https.",
      example: "swiftget --max-redirect 3 https://example.org/a.iso",
      group: .patience, defaultText: "20"),
  ]
}
