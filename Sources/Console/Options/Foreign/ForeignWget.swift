/// The options of GNU Wget 1, and those of Wget2 that set how many files and connections there are.
enum ForeignWget {
  static let groups: [ForeignGroup] = [
    ForeignGroup(.refused(hint: ForeignHint.configuration), arguments: "config"),
    ForeignGroup(.fixed(.spider, nil), flags: "spider"),
    ForeignGroup(.fixed(.noConfig, nil), flags: "no-config"),
    ForeignGroup(.fixed(.ifExists, "keep"), flags: "no-clobber:nc"),
    ForeignGroup(.fixed(.progress, "lines"), flags: "no-verbose:nv"),
    ForeignGroup(.fixed(.insecure, nil), flags: "no-check-certificate"),
    ForeignGroup(.fixed(.ipv4, nil), flags: "inet4-only:4"),
    ForeignGroup(.fixed(.ipv6, nil), flags: "inet6-only:6"),
    ForeignGroup(.fixed(.noRemoteTime, nil), flags: "no-use-server-timestamps"),
    ForeignGroup(.converted(.cert, .pathToCertificate), arguments: "certificate"),
    ForeignGroup(.same(.baseURL), arguments: "base:B"),
    ForeignGroup(.same(.cacert), arguments: "ca-certificate"),
    ForeignGroup(.same(.capath), arguments: "ca-directory"),
    ForeignGroup(.same(.contentDisposition), flags: "content-disposition"),
    ForeignGroup(.fixed(.nameFrom, "last-url"), flags: "trust-server-names"),
    ForeignGroup(.same(.forceDirectories), flags: "force-directories:x"),
    ForeignGroup(.same(.noHostDirectories), flags: "no-host-directories:nH"),
    ForeignGroup(.same(.cutDirs), arguments: "cut-dirs"),
    ForeignGroup(.same(.connectTimeout), arguments: "connect-timeout"),
    ForeignGroup(.same(.connections), arguments: "num-connections"),
    ForeignGroup(.same(.dir), arguments: "directory-prefix:P"),
    ForeignGroup(.same(.header), arguments: "header"),
    ForeignGroup(.same(.help), flags: "help:h"),
    ForeignGroup(.same(.inputFile), arguments: "input-file:i input-metalink"),
    ForeignGroup(.same(.jobs), arguments: "max-threads"),
    ForeignGroup(.same(.key), arguments: "private-key"),
    ForeignGroup(.same(.limitRate), arguments: "limit-rate"),
    ForeignGroup(.same(.loadCookies), arguments: "load-cookies"),
    ForeignGroup(.same(.log), arguments: "append-output:a"),
    ForeignGroup(.same(.maxRedirect), arguments: "max-redirect"),
    ForeignGroup(.same(.saveCookies), arguments: "save-cookies"),
    ForeignGroup(.same(.metalinkLocation), arguments: "preferred-location"),
    ForeignGroup(.same(.noProxy), flags: "no-proxy"),
    ForeignGroup(.same(.noNetrc), flags: "no-netrc"),
    ForeignGroup(.same(.output), arguments: "output-document:O"),
    ForeignGroup(.same(.progress), arguments: "progress"),
    ForeignGroup(.same(.quiet), flags: "quiet:q"),
    ForeignGroup(.same(.referer), arguments: "referer"),
    ForeignGroup(.same(.resume), flags: "continue:c"),
    ForeignGroup(.same(.retryWait), arguments: "waitretry"),
    ForeignGroup(.same(.timeout), arguments: "timeout:T read-timeout"),
    ForeignGroup(.same(.timestamping), flags: "timestamping:N"),
    ForeignGroup(.same(.tries), arguments: "tries:t"),
    ForeignGroup(.same(.user), arguments: "user"),
    ForeignGroup(.same(.userAgent), arguments: "user-agent:U"),
    ForeignGroup(.same(.verbose), flags: "verbose:v"),
    ForeignGroup(.same(.version), flags: "version:V"),
    ForeignGroup(.showsProgress, flags: "show-progress"),
    ForeignGroup(
      .nothing,
      flags: """
        auth-no-challenge no-cookies no-directories:nd no-hsts no-if-modified-since
        no-parent:np no-dns-cache no-glob no-iri no-passive-ftp no-remove-listing no-warc-compression no-warc-digests
        no-warc-keep-log retry-connrefused unlink iri no-follow-ftp keep-session-cookies no-http-keep-alive
        """,
      arguments: "prefer-family report-speed"),
    ForeignGroup(.unless("none", .fixed(.compressed, nil)), arguments: "compression"),
    ForeignGroup(
      .only(["PEM", "pem"], .nothing, hint: ForeignHint.pem), arguments: "certificate-type private-key-type"),
    ForeignGroup(
      .only(["auto", "TLSv1", "TLSv1_1", "TLSv1_2"], .nothing, hint: ForeignHint.tls), arguments: "secure-protocol"),

    ForeignGroup(
      .refused(hint: ForeignHint.noLinks),
      flags: """
        recursive:r delete-after convert-links:k convert-file-only backup-converted:K mirror:m page-requisites:p
        strict-comments follow-ftp span-hosts:H relative:L force-html:F adjust-extension:E html-extension
        ignore-case https-only mirror-site
        """,
      arguments: """
        level:l accept:A reject:R accept-regex reject-regex regex-type domains:D exclude-domains follow-tags ignore-tags
        include-directories:I exclude-directories:X default-page rejected-log
        """),
    ForeignGroup(
      .refused(hint: "use -d DIR, or dir= and out= in a list, to choose the path"),
      flags: "protocol-directories", arguments: "restrict-file-names"),
    ForeignGroup(
      .refused(hint: ForeignHint.login),
      flags: "ask-password",
      arguments: "password http-user http-password http-passwd use-askpass"),
    ForeignGroup(.refused(hint: ForeignHint.proxyLogin), arguments: "proxy-user proxy-password proxy-passwd"),
    ForeignGroup(
      .refused(hint: ForeignHint.downloadsOnly),
      arguments: "post-data post-file method body-data body-file"),
    ForeignGroup(
      .refused(hint: ForeignHint.noOtherProtocols),
      flags: """
        ftps-implicit ftps-resume-ssl no-ftps-resume-ssl ftps-clear-data-connection ftps-fallback-to-ftp
        preserve-permissions retr-symlinks
        """,
      arguments: "ftp-user ftp-password"),
    ForeignGroup(
      .refused(hint: "swiftget writes no WARC files"),
      flags: "warc-cdx", arguments: "warc-file warc-header warc-max-size warc-dedup warc-tempdir"),
    ForeignGroup(
      .refused(hint: "-i FILE downloads all files of a Metalink document and verifies them"),
      flags: "metalink-over-http keep-badhash", arguments: "metalink-index"),
    ForeignGroup(.refused(hint: ForeignHint.tls), arguments: "ciphers crl-file egd-file pinnedpubkey random-file"),
    ForeignGroup(.refused(hint: ForeignHint.resolver), arguments: "bind-dns-address dns-servers"),
    ForeignGroup(.refused(hint: ForeignHint.address), arguments: "bind-address"),
    ForeignGroup(.refused(hint: "--connect-timeout TIME includes the DNS lookup"), arguments: "dns-timeout"),
    ForeignGroup(
      .refused(hint: "408, 425, 429, 5xx and failed name lookups are retried (-t N); other errors are final"),
      flags: "retry-on-host-error", arguments: "retry-on-http-error"),
    ForeignGroup(
      .refused(hint: "use --limit-rate RATE and -j N to reduce the load; swiftget obeys Retry-After"),
      flags: "random-wait", arguments: "wait:w"),
    ForeignGroup(
      .refused(hint: "swiftget has no total limit; --max-filesize SIZE limits each file"), arguments: "quota:Q"),
    ForeignGroup(.refused(hint: ForeignHint.wholeFile), arguments: "start-pos"),
    ForeignGroup(
      .refused(hint: "swiftget keeps no backups; it replaces a file only by a complete, verified one"),
      arguments: "backups"),
    ForeignGroup(
      .refused(hint: "swiftget always checks the size that the server reports"), flags: "ignore-length"),
    ForeignGroup(
      .refused(hint: "swiftget never saves error pages; it reports the status"), flags: "content-on-error"),
    ForeignGroup(.refused(hint: "-H 'Cache-Control: no-cache' asks for a fresh copy"), flags: "no-cache"),
    ForeignGroup(.refused(hint: ForeignHint.attributes), flags: "xattr"),
    ForeignGroup(.refused(hint: ForeignHint.background), flags: "background:b"),
    ForeignGroup(.refused(hint: ForeignHint.configuration), arguments: "execute:e"),
    ForeignGroup(.refused(hint: ForeignHint.messages), arguments: "output-file:o"),
    ForeignGroup(.refused(hint: ForeignHint.details), flags: "debug:d server-response:S save-headers"),
    ForeignGroup(
      .refused(hint: "swiftget has no HSTS; use https:// in the URL"), arguments: "hsts-file"),
    ForeignGroup(
      .refused(hint: "swiftget does not convert the encoding of names and URLs"),
      arguments: "local-encoding remote-encoding"),
  ]
}
