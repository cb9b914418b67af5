/// The rows that concern requests, connections and the display.
extension OptionTable {
  static let requestOptions: [OptionSpec] = [
    OptionSpec(
      id: .header, long: "header", short: "H", argument: .required("LINE"),
      effect: OptionEffect {
        try $0.add(header: $1.header())
      } takeBack: {
        $0.removeHeaders()
      },
      verbs: .fetches, scope: .task,
      repeats: true, isForHosts: true,
      summary: "Send this 'Name: value' to the servers you named",
      detail: """
        Send *LINE* (`Name: value`) with every request to a server that you named on the command line or in a list, \
        but not to a server that only a redirect named. A line of a list entry replaces one of the same name. May be \
        given several times.
        """,
      example: "swiftget -H 'Accept-Language: de' https://example.org/a.iso",
      group: .requests, defaultText: "", isCommon: true, disclosure: .fieldName),
    OptionSpec(
      id: .user, long: "user", short: "u", argument: .required("NAME[:PASSWORD]"),
      effect: OptionEffect {
        try $0.set(user: $1.credentials())
      } takeBack: {
        $0.set(user: nil)
      },
      verbs: .fetches, scope: .task,
      isForHosts: true,
      summary: "Log in to the servers you named",
      detail: """
        Log in with this name and password to servers that you named, but not to servers that only a redirect named. \
        Other users of the machine can see command lines, so prefer a netrc file. With `--netrc` and only *NAME*, \
        the netrc file supplies the password for this name. The password is sent with the first request (Basic), \
        unless the server asks for Digest.
        """,
      example: "swiftget -u anna:secret https://example.org/a.iso",
      group: .requests, defaultText: "", isCommon: true, disclosure: .nothing),
    OptionSpec(
      id: .password, long: "password", argument: .required("PASSWORD"),
      effect: OptionEffect {
        $0.password = try $1.password()
      } takeBack: {
        $0.password = nil
      },
      verbs: .fetches, scope: .task,
      needs: [.option(.user)],
      example: "swiftget --user=anna --password=secret https://example.org/a.iso",
      group: .requests, isHidden: true, disclosure: .nothing),
    OptionSpec(
      id: .netrc, long: "netrc",
      effect: OptionEffect { builder, _ in
        builder.set(netrc: .usual)
      } takeBack: {
        $0.set(netrc: nil)
      },
      opposite: .noNetrc, isForHosts: true,
      summary: "Take names and passwords from ~/.netrc",
      detail: "Read names and passwords from `~/.netrc`. See NETRC FILES in `swiftget-guide`(7).",
      example: "swiftget --netrc https://example.org/a.iso",
      group: .requests),
    OptionSpec(
      id: .netrcFile, long: "netrc-file", argument: .required("FILE"), values: .files,
      effect: OptionEffect {
        try $0.set(netrc: .named($1.text()))
      } takeBack: {
        $0.set(netrc: nil)
      },
      isForHosts: true,
      summary: "Take names and passwords from this file",
      detail: "Read names and passwords from *FILE*, a file or pipe in the format of `~/.netrc`.",
      example: "swiftget --netrc-file netrc https://example.org/a.iso",
      group: .requests, defaultText: ""),
    OptionSpec(
      id: .noNetrc, long: "no-netrc",
      effect: OptionEffect { builder, _ in builder.set(netrc: nil) }, opposite: .netrc,
      summary: "Use no netrc files",
      detail: """
        Read no netrc file, even if the configuration names one. A later `--netrc` or `--netrc-file` applies again.
        """,
      example: "swiftget --no-netrc https://example.org/a.iso",
      group: .requests),
    OptionSpec(
      id: .userAgent, long: "user-agent", short: "U", argument: .required("TEXT"),
      effect: .value(\.settings.transport.userAgent) { try $0.fieldValue() },
      verbs: .fetches, scope: .task,
      summary: "Send this User-Agent",
      detail: "Send *TEXT* as `User-Agent` instead of swiftget and its version.",
      example: "swiftget -U 'nightly/1.0 (admin@example.org)' https://example.org/a.iso",
      group: .requests),
    OptionSpec(
      id: .referer, long: "referer", argument: .required("URL"),
      effect: .value(\.settings.transport.referer) { try $0.referer() },
      summary: "Send this Referer",
      detail: "Send *URL* as `Referer`.",
      example: "swiftget --referer https://example.org/isos/ https://example.org/a.iso",
      group: .requests, defaultText: ""),
    OptionSpec(
      id: .loadCookies, long: "load-cookies", argument: .required("FILE"), values: .files,
      effect: .value(\.loadedCookies) { try $0.path() },
      summary: "Send the cookies in this file (Netscape format)",
      detail: """
        Send the cookies in *FILE* (Netscape format, as curl, wget and browsers' exports use), including session \
        cookies, and the cookies that servers set during the run. A cookie longer than 7,000 bytes is refused. See \
        COOKIES in `swiftget-guide`(7).
        """,
      example: "swiftget --load-cookies cookies.txt https://example.org/a.iso",
      group: .requests, defaultText: ""),
    OptionSpec(
      id: .saveCookies, long: "save-cookies", argument: .required("FILE"), values: .files,
      effect: .value(\.records.savedCookies) { try $0.ownPath("cookies are not written to standard output") },
      summary: "Keep cookies, and save them to this file at the end",
      detail: """
        Send the cookies that servers set during the run, and save all valid ones, including session cookies, to \
        *FILE* at the end of the run. *FILE* may be the file of `--load-cookies`.
        """,
      example: "swiftget --load-cookies cookies.txt --save-cookies cookies.txt -i urls.txt",
      group: .requests, defaultText: ""),
  ]

  static let networkOptions: [OptionSpec] = [
    OptionSpec(
      id: .proxy, long: "proxy", argument: .required("URL"),
      effect: .value(\.settings.transport.proxy) { try $0.proxy() },
      verbs: .fetches, scope: .task,
      summary: "Use this proxy",
      detail: "Use the proxy at *URL* instead of the one in the environment.",
      example: "swiftget --proxy http://proxy.example.org:3128 https://example.org/a.iso",
      group: .network, defaultText: "", disclosure: .nothing),
    OptionSpec(
      id: .proxyCacert, long: "proxy-cacert", argument: .required("FILE"), values: .files,
      effect: .value(\.settings.transport.proxyCAFile) { try $0.text() },
      summary: "Trust these certificate authorities for a proxy",
      detail: "Trust the certificate authorities in *FILE* (PEM) for an `https` proxy instead of the system's.",
      example: "swiftget --proxy https://proxy.example.org --proxy-cacert ca.pem -i urls.txt",
      group: .network, defaultText: ""),
    OptionSpec(
      id: .proxyInsecure, long: "proxy-insecure",
      effect: .flag(\.settings.transport.verifiesProxyTLS, false),
      summary: "Do not verify a proxy's certificate",
      detail: """
        Do not verify the certificate of an `https` proxy. Then others on the network can read its password and \
        everything that is sent to `http` servers.
        """,
      example: "swiftget --proxy https://proxy.example.org --proxy-insecure -i urls.txt",
      group: .network),
    OptionSpec(
      id: .noProxy, long: "no-proxy", argument: .optional("LIST"),
      effect: .value(\.settings.transport.noProxy) { $0.isGiven ? try $0.fieldValue() : "*" },
      verbs: .fetches, scope: .task,
      summary: "Use no proxy at all, or none for these hosts",
      detail: """
        Use no proxy, whatever the environment says. With *LIST*, use no proxy for these hosts and their subdomains, \
        addresses and networks (`10.0.0.0/8`, `fd00::/8`, `[::1]`), separated by commas. `no_proxy` is such a list, \
        too.
        """,
      example: "swiftget --no-proxy=localhost,example.org https://example.org/a.iso",
      group: .network),
    OptionSpec(
      id: .cacert, long: "cacert", argument: .required("FILE"), values: .files,
      effect: .value(\.settings.transport.caFile) { try $0.text() },
      summary: "Trust the certificate authorities in this file",
      detail: "Trust the certificate authorities in *FILE* (PEM) instead of the system's.",
      example: "swiftget --cacert ca.pem https://example.org/a.iso",
      group: .network, defaultText: ""),
    OptionSpec(
      id: .capath, long: "capath", argument: .required("DIR"), values: .directories,
      effect: .value(\.settings.transport.caPath) { try $0.text() },
      summary: "Trust the certificate authorities in this directory",
      detail: "Trust the certificate authorities in *DIR*, prepared with `openssl rehash`.",
      example: "swiftget --capath authorities https://example.org/a.iso",
      group: .network, defaultText: ""),
    OptionSpec(
      id: .cert, long: "cert", argument: .required("FILE[:PASSWORD]"), values: .files,
      effect: OptionEffect {
        try $0.set(certificate: $1.certificate())
      } takeBack: {
        $0.set(certificate: (nil, nil))
      },
      summary: "Client certificate for the servers you named",
      detail: """
        Present the client certificate in *FILE* (PEM) to servers that you named, but not to servers that only a \
        redirect named. *PASSWORD* decrypts its key; there is no prompt. Other users of the machine can see command \
        lines, so prefer the configuration file for it. A colon in the file name is written `\\:`, and a backslash \
        before a colon or backslash `\\\\`.
        """,
      example: "swiftget --cert client.pem --key client.key https://example.org/a.iso",
      group: .network, defaultText: "", disclosure: .nothing),
    OptionSpec(
      id: .key, long: "key", argument: .required("FILE"), values: .files,
      effect: .value(\.settings.transport.clientKey) { try $0.text() },
      summary: "Private key of that certificate",
      detail: "The private key of the client certificate (PEM), if it is not in the same file.",
      example: "swiftget --cert client.pem --key client.key -i urls.txt",
      group: .network, defaultText: ""),
    OptionSpec(
      id: .insecure, long: "insecure",
      effect: .flag(\.settings.transport.verifiesTLS, false),
      summary: "Do not verify certificates",
      detail: """
        Do not verify servers' certificates. Then others on the network can read and change everything.
        """,
      example: "swiftget --insecure --checksum sha256:HEX https://example.org/a.iso",
      group: .network),
    OptionSpec(
      id: .httpsOnly, long: "https-only",
      effect: OptionEffect { builder, _ in
        builder.invocation.lists.isHTTPSOnly = true
        builder.invocation.settings.file.isHTTPSOnly = true
      } takeBack: {
        $0.invocation.lists.isHTTPSOnly = false
        $0.invocation.settings.file.isHTTPSOnly = false
      },
      summary: "Refuse http URLs and redirects to them",
      detail: "Refuse files and lists without an https URL, and redirects to http.",
      example: "swiftget --https-only -i urls.txt",
      group: .network),
    OptionSpec(
      id: .http1, long: "http1.1",
      effect: .flag(\.settings.transport.httpVersion, .http1),
      summary: "Use HTTP/1.1 only",
      detail: "Use HTTP/1.1 only. The last of this option and `--http2` applies.",
      example: "swiftget --http1.1 https://example.org/a.iso",
      group: .network),
    OptionSpec(
      id: .http2, long: "http2",
      effect: .flag(\.settings.transport.httpVersion, .http2),
      summary: "Use HTTP/2 if the server supports it, for large files too",
      detail: """
        Use HTTP/2 if the server supports it. By default small files use HTTP/2, and large files use several \
        connections with HTTP/1.1.
        """,
      example: "swiftget --http2 https://example.org/a.iso",
      group: .network),
    OptionSpec(
      id: .ipv4, long: "ipv4", short: "4",
      effect: .flag(\.settings.transport.addressFamily, .ipv4),
      summary: "Use IPv4 only",
      detail: "Connect to IPv4 addresses only. The last of this option and `-6` applies.",
      example: "swiftget -4 https://example.org/a.iso",
      group: .network),
    OptionSpec(
      id: .ipv6, long: "ipv6", short: "6",
      effect: .flag(\.settings.transport.addressFamily, .ipv6),
      summary: "Use IPv6 only",
      detail: "Connect to IPv6 addresses only.",
      example: "swiftget -6 https://example.org/a.iso",
      group: .network),
    OptionSpec(
      id: .interface, long: "interface", argument: .required("NAME|ADDRESS"),
      effect: .value(\.settings.transport.interface) { try $0.networkInterface() },
      verbs: .fetches, scope: .task,
      summary: "Connect from this network interface or address",
      detail: """
        Connect from *NAME|ADDRESS*: a network interface or an IP address of this machine. An address only reaches \
        servers of its family.
        """,
      example: "swiftget --interface 192.0.2.10 https://example.org/a.iso",
      group: .network, defaultText: ""),
    OptionSpec(
      id: .resolve, long: "resolve", argument: .required("HOST:PORT:ADDRESS"),
      effect: .append(\.settings.transport.resolve) { try $0.resolveEntry() }, repeats: true,
      summary: "Use this address for the host",
      detail: """
        Connect to *ADDRESS* for *HOST* and *PORT* instead of asking the resolver. May be given several times.
        """,
      example: "swiftget --resolve example.org:443:192.0.2.10 https://example.org/a.iso",
      group: .network, defaultText: ""),
  ]

  static let displayOptions: [OptionSpec] = [
    OptionSpec(
      id: .quiet, long: "quiet", short: "q",
      effect: OptionEffect { builder, _ in
        (builder.invocation.display.isQuiet, builder.invocation.display.verbosity) = (true, 0)
      } takeBack: {
        $0.invocation.display.isQuiet = false
      },
      verbs: .everything, scope: .command,
      summary: "Print failures only",
      detail: "Print only failures, with their number at the end. If nothing fails, print nothing.",
      example: "swiftget -q -i urls.txt",
      group: .display, isCommon: true),
    OptionSpec(
      id: .verbose, long: "verbose", short: "v",
      effect: OptionEffect { builder, _ in
        builder.invocation.display.isQuiet = false
        builder.invocation.display.verbosity += 1
      } takeBack: {
        $0.invocation.display.verbosity = 0
      },
      verbs: .everything, scope: .command, repeats: true,
      summary: "Also report kept files, retries and other details",
      detail: "Also report files that were kept, retries and other details.",
      example: "swiftget -v -i urls.txt",
      group: .display),
    OptionSpec(
      id: .progress, long: "progress", argument: .required("STYLE"),
      values: .oneOf(ProgressStyle.allCases.map(\.rawValue)),
      effect: .value(\.display.progress) { try $0.progressStyle() }, verbs: .lists.subtracting([.queue]),
      scope: .command,
      summary: "Display style: auto, bar, lines, json or none",
      detail: """
        `bar` is a live display, `lines` prints a line for each finished file, `json` prints JSON objects on \
        standard output, and `none` prints only failures and warnings. With `auto`, the default, a terminal gets the \
        bar and anything else gets lines. See `swiftget-output`(5).
        """,
      example: "swiftget --progress json -i urls.txt",
      group: .display, defaultText: "auto"),
    OptionSpec(
      id: .color, long: "color", argument: .optional("WHEN"),
      values: .oneOf(ColourChoice.allCases.map(\.rawValue)),
      effect: .value(\.display.colours) { $0.isGiven ? try $0.choice() : .always }, verbs: .lists, scope: .command,
      summary: "Colors on a terminal: auto, always or never",
      detail: """
        Color the display on a terminal: `always` (or no *WHEN*), `never`, or `auto`: unless `NO_COLOR` is set.
        """,
      example: "swiftget --color=never -i urls.txt",
      group: .display, defaultText: "auto"),
    OptionSpec(
      id: .log, long: "log", argument: .required("FILE"), values: .files,
      effect: .value(\.records.log.path) {
        try $0.ownPath(
          "the log is not written to standard output",
          hint: "2>&1 sends messages there; --log /dev/stderr has them with times")
      }, verbs: .everything, scope: .worker,
      summary: "Append a log with times to this file",
      detail: """
        Append the lines of `--progress lines` to *FILE*, with local times, whatever the terminal shows; with `-v`, \
        also the details. `-q` does not affect it. If the name ends with `.json` or `.jsonl`, the log is in JSON. \
        See `swiftget-output`(5).
        """,
      example: "swiftget -i urls.txt --log nightly.log",
      group: .display, defaultText: ""),
    OptionSpec(
      id: .help, long: "help", short: "h",
      effect: OptionEffect { $0.command = $1.spelling == "-h" ? .showShortHelp : .showHelp(.options) },
      verbs: .everything, scope: .command, isOfOneRun: true,
      summary: "Show all options; -h: only the most common ones",
      detail: "Show all options; with `-h`, only the most common ones.",
      example: "swiftget --help",
      group: .display, isCommon: true),
    OptionSpec(
      id: .version, long: "version", short: "V",
      effect: OptionEffect { builder, _ in builder.command = .showVersion }, verbs: .everything, scope: .command,
      isOfOneRun: true,
      summary: "Show the version",
      detail: "Show the version.",
      example: "swiftget --version",
      group: .display),
    OptionSpec(
      id: .generate, long: "generate", argument: .required("WHAT"),
      values: .oneOf(GeneratedText.allCases.map(\.rawValue)),
      effect: OptionEffect { $0.command = .generate(try $1.choice()) }, verbs: .everything, scope: .command,
      isOfOneRun: true,
      summary: "Print a manual page or completions",
      detail: """
        Print a manual page (`man`, `man-guide`, `man-output`) or the completions for a shell (`bash`, `zsh`, \
        `fish`).
        """,
      example: "swiftget --generate bash",
      group: .display),
  ]
}
