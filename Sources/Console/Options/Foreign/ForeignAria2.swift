/// The options of aria2 1.
enum ForeignAria2 {
  static let groups: [ForeignGroup] = [
    ForeignGroup(.boolean(.fixed(.quiet, nil), isFalse: .nothing), booleans: "quiet:q"),
    ForeignGroup(.boolean(.fixed(.compressed, nil), isFalse: .nothing), booleans: "http-accept-gzip"),
    ForeignGroup(.boolean(.fixed(.dryRun, nil), isFalse: .nothing), booleans: "dry-run"),
    ForeignGroup(.boolean(.fixed(.resume, nil), isFalse: .fixed(.noResume, nil)), booleans: "continue:c"),
    ForeignGroup(.boolean(.fixed(.ifExists, "replace"), isFalse: .nothing), booleans: "allow-overwrite"),
    ForeignGroup(.boolean(.fixed(.timestamping, nil), isFalse: .nothing), booleans: "conditional-get"),
    ForeignGroup(.boolean(.fixed(.ipv4, nil), isFalse: .nothing), booleans: "disable-ipv6"),
    ForeignGroup(.boolean(.nothing, isFalse: .fixed(.insecure, nil)), booleans: "check-certificate"),
    ForeignGroup(.boolean(.fixed(.noNetrc, nil), isFalse: .fixed(.netrc, nil)), booleans: "no-netrc:n"),
    ForeignGroup(.boolean(.nothing, isFalse: .fixed(.noRemoteTime, nil)), booleans: "remote-time:R"),
    ForeignGroup(.boolean(.nothing, isFalse: .fixed(.progress, "none")), booleans: "show-console-readout"),
    ForeignGroup(.converted(.cert, .pathToCertificate), arguments: "certificate"),
    ForeignGroup(.same(.cacert), arguments: "ca-certificate"),
    ForeignGroup(.same(.checksum), arguments: "checksum"),
    ForeignGroup(.same(.connectTimeout), arguments: "connect-timeout"),
    ForeignGroup(.same(.connections), arguments: "split:s max-connection-per-server:x"),
    ForeignGroup(.same(.deadline), arguments: "stop"),
    ForeignGroup(.same(.dir), arguments: "dir:d"),
    ForeignGroup(.same(.header), arguments: "header"),
    ForeignGroup(.fixed(.help, nil), booleans: "help:h"),
    ForeignGroup(.same(.inputFile), arguments: "input-file:i metalink-file:M"),
    ForeignGroup(.same(.jobs), arguments: "max-concurrent-downloads:j"),
    ForeignGroup(.same(.key), arguments: "private-key"),
    ForeignGroup(.same(.limitRate), arguments: "max-overall-download-limit"),
    ForeignGroup(.same(.limitRatePerFile), arguments: "max-download-limit"),
    ForeignGroup(.same(.loadCookies), arguments: "load-cookies"),
    ForeignGroup(.same(.log), arguments: "log:l"),
    ForeignGroup(.same(.metalinkLanguage), arguments: "metalink-language"),
    ForeignGroup(.same(.metalinkLocation), arguments: "metalink-location"),
    ForeignGroup(.same(.metalinkOS), arguments: "metalink-os"),
    ForeignGroup(.same(.minSplitSize), arguments: "min-split-size:k"),
    ForeignGroup(.same(.saveCookies), arguments: "save-cookies"),
    ForeignGroup(.same(.netrcFile), arguments: "netrc-path"),
    ForeignGroup(.same(.noProxy), arguments: "no-proxy"),
    ForeignGroup(.same(.output), arguments: "out:o"),
    ForeignGroup(.same(.proxy), arguments: "all-proxy"),
    ForeignGroup(.same(.referer), arguments: "referer"),
    ForeignGroup(.same(.retryWait), arguments: "retry-wait"),
    ForeignGroup(.same(.timeout), arguments: "timeout:t"),
    ForeignGroup(.same(.tries), arguments: "max-tries:m"),
    ForeignGroup(.same(.userAgent), arguments: "user-agent:U"),
    ForeignGroup(.same(.version), flags: "version:v"),
    ForeignGroup(
      .nothing,
      arguments: """
        auto-save-interval console-log-level disk-cache download-result event-poll file-allocation max-download-result
        max-mmap-limit no-file-allocation-limit piece-length rlimit-nofile server-stat-timeout socket-recv-buffer-size
        stream-piece-selector summary-interval uri-selector max-resume-failure-tries
        """,
      booleans: """
        allow-piece-length-change always-resume async-dns check-integrity:V deferred-input enable-async-dns6
        enable-color enable-http-keep-alive enable-http-pipelining enable-mmap force-sequential:Z
        http-auth-challenge human-readable keep-unfinished-download-result no-conf optimize-concurrent-downloads
        realtime-chunk-checksum reuse-uri truncate-console-readout use-head content-disposition-default-utf8
        """),
    ForeignGroup(
      .boolean(.refused(hint: ForeignHint.renaming), isFalse: .nothing), booleans: "auto-file-renaming"),
    ForeignGroup(
      .only(["TLSv1", "TLSv1.1", "TLSv1.2"], .nothing, hint: ForeignHint.tls), arguments: "min-tls-version"),

    ForeignGroup(
      .refused(hint: ForeignHint.noOtherProtocols),
      arguments: """
        ftp-user ftp-passwd ftp-type ssh-host-key-md ftp-proxy ftp-proxy-user ftp-proxy-passwd
        bt-external-ip bt-exclude-tracker bt-lpd-interface bt-max-open-files bt-max-peers
        bt-min-crypto-level bt-prioritize-piece bt-request-peer-speed-limit bt-stop-timeout bt-tracker
        bt-tracker-connect-timeout bt-tracker-interval bt-tracker-timeout dht-entry-point dht-entry-point6
        dht-file-path dht-file-path6 dht-listen-addr6 dht-listen-port dht-message-timeout follow-torrent index-out:O
        listen-port max-overall-upload-limit max-upload-limit:u on-bt-download-complete peer-agent peer-id-prefix
        seed-ratio seed-time select-file torrent-file:T
        """,
      booleans: """
        ftp-pasv:p ftp-reuse-connection bt-detach-seed-only bt-enable-hook-after-hash-check bt-enable-lpd
        bt-force-encryption bt-hash-check-seed bt-load-saved-metadata bt-metadata-only bt-remove-unselected-file
        bt-require-crypto bt-save-metadata bt-seed-unverified enable-dht enable-dht6 enable-peer-exchange
        pause-metadata show-files:S
        """),
    ForeignGroup(
      .refused(hint: "-i FILE reads Metalink; its URLs must be complete, and http or https"),
      arguments: "follow-metalink metalink-base-uri metalink-preferred-protocol metalink-version",
      booleans: "metalink-enable-unique-protocol"),
    ForeignGroup(
      .refused(hint: "swiftget has no remote control"),
      arguments: """
        gid rpc-certificate rpc-listen-port rpc-max-request-size rpc-passwd rpc-private-key rpc-secret rpc-user
        """,
      booleans: """
        enable-rpc pause rpc-allow-origin-all rpc-listen-all rpc-save-upload-metadata rpc-secure
        """),
    ForeignGroup(
      .refused(hint: "the same command goes on with what is unfinished; no session is saved"),
      arguments: "save-session save-session-interval", booleans: "force-save save-not-found"),
    ForeignGroup(
      .refused(hint: "swiftget measures the servers in each run; nothing is kept"),
      arguments: "server-stat-if server-stat-of"),
    ForeignGroup(.refused(hint: ForeignHint.login), arguments: "http-user http-passwd"),
    ForeignGroup(.refused(hint: ForeignHint.proxyByScheme), arguments: "http-proxy https-proxy"),
    ForeignGroup(
      .refused(hint: ForeignHint.proxyLogin),
      arguments: """
        http-proxy-user http-proxy-passwd https-proxy-user https-proxy-passwd all-proxy-user all-proxy-passwd
        """),
    ForeignGroup(
      .refused(hint: "--proxy URL names the proxy; https: goes through a tunnel, http: does not"),
      arguments: "proxy-method"),
    ForeignGroup(
      .refused(hint: ForeignHint.hooks),
      arguments: "on-download-start on-download-pause on-download-stop on-download-complete on-download-error"),
    ForeignGroup(.refused(hint: ForeignHint.slow), arguments: "lowest-speed-limit"),
    ForeignGroup(
      .refused(hint: "an answer such as 404 is final for its mirror, and the other mirrors are asked"),
      arguments: "max-file-not-found"),
    ForeignGroup(
      .refused(hint: "--deadline TIME ends the whole run; --max-time TIME limits the time for one file"),
      arguments: "stop-with-process"),
    ForeignGroup(.refused(hint: ForeignHint.address), arguments: "interface multiple-interface dscp"),
    ForeignGroup(.refused(hint: ForeignHint.resolver), arguments: "async-dns-server"),
    ForeignGroup(
      .refused(hint: "--glob expands {a,b} and [1-9]"), booleans: "parameterized-uri:P"),
    ForeignGroup(.refused(hint: "--no-resume starts over"), booleans: "remove-control-file"),
    ForeignGroup(.refused(hint: "--check checks the files that are there"), booleans: "hash-check-only"),
    ForeignGroup(.refused(hint: "-H 'Cache-Control: no-cache' asks for a fresh copy"), booleans: "http-no-cache"),
    ForeignGroup(.refused(hint: ForeignHint.background), booleans: "daemon:D"),
    ForeignGroup(.refused(hint: ForeignHint.configuration), arguments: "conf-path"),
    ForeignGroup(.refused(hint: ForeignHint.details), arguments: "log-level"),
    ForeignGroup(.refused(hint: ForeignHint.messages), booleans: "stderr"),
  ]
}
