/// The options of curl, up to version 8.
enum ForeignCurl {
  static let groups: [ForeignGroup] = [
    ForeignGroup(.fixed(.quiet, nil), flags: "silent:s"),
    ForeignGroup(.fixed(.progress, "none"), flags: "no-progress-meter"),
    ForeignGroup(.fixed(.ifExists, "keep"), flags: "no-clobber"),
    ForeignGroup(.fixed(.contentDisposition, nil), flags: "remote-header-name:J"),
    ForeignGroup(.fixed(.netrc, nil), flags: "netrc:n netrc-optional"),
    ForeignGroup(.same(.cacert), arguments: "cacert"),
    ForeignGroup(.same(.capath), arguments: "capath"),
    ForeignGroup(.same(.cert), arguments: "cert:E"),
    ForeignGroup(.same(.compressed), flags: "compressed"),
    ForeignGroup(.same(.connectTimeout), arguments: "connect-timeout"),
    ForeignGroup(.same(.dir), arguments: "output-dir"),
    ForeignGroup(.same(.header), arguments: "header:H"),
    ForeignGroup(.fixed(.help, nil), arguments: "help:h"),
    ForeignGroup(.same(.http1), flags: "http1.1"),
    ForeignGroup(.same(.http2), flags: "http2"),
    ForeignGroup(.same(.insecure), flags: "insecure:k"),
    ForeignGroup(.same(.ipv4), flags: "ipv4:4"),
    ForeignGroup(.same(.ipv6), flags: "ipv6:6"),
    ForeignGroup(.same(.jobs), arguments: "parallel-max"),
    ForeignGroup(.same(.key), arguments: "key"),
    ForeignGroup(.same(.limitRate), arguments: "limit-rate"),
    ForeignGroup(.same(.maxFilesize), arguments: "max-filesize"),
    ForeignGroup(.same(.maxRedirect), arguments: "max-redirs"),
    ForeignGroup(.same(.maxTime), arguments: "max-time:m"),
    ForeignGroup(.same(.netrcFile), arguments: "netrc-file"),
    ForeignGroup(.same(.noProxy), arguments: "noproxy"),
    ForeignGroup(.same(.output), arguments: "output:o"),
    ForeignGroup(.same(.proxy), arguments: "proxy:x"),
    ForeignGroup(.same(.proxyCacert), arguments: "proxy-cacert"),
    ForeignGroup(.same(.proxyInsecure), flags: "proxy-insecure"),
    ForeignGroup(.same(.referer), arguments: "referer:e"),
    ForeignGroup(.same(.resolve), arguments: "resolve"),
    ForeignGroup(.same(.user), arguments: "user:u"),
    ForeignGroup(.same(.userAgent), arguments: "user-agent:A"),
    ForeignGroup(.same(.verbose), flags: "verbose:v"),
    ForeignGroup(.same(.version), flags: "version:V"),
    ForeignGroup(.converted(.tries, .retriesToTries), arguments: "retry"),
    ForeignGroup(.cookies, arguments: "cookie:b"),
    ForeignGroup(.same(.saveCookies), arguments: "cookie-jar:c"),
    ForeignGroup(.url, arguments: "url"),
    ForeignGroup(
      .only(["-"], .fixed(.resume, nil), hint: ForeignHint.wholeFile), arguments: "continue-at:C"),
    ForeignGroup(
      .nothing,
      flags: """
        anyauth digest location:L fail:f parallel:Z parallel-immediate remote-name:O remote-name-all remote-time:R create-dirs
        show-error:S globoff:g retry-connrefused basic proxy-basic no-buffer:N progress-bar:#
        styled-output suppress-connect-headers tcp-nodelay tcp-fastopen false-start disable:q no-sessionid
        no-keepalive ssl-auto-client-cert ssl-no-revoke ssl-revoke-best-effort tlsv1:1 tlsv1.0 tlsv1.1 tlsv1.2
        proxy-tlsv1 proxy-ssl-auto-client-cert no-npn alpn npn buffer eprt epsv keepalive progress-meter sessionid
        """,
      arguments: "happy-eyeballs-timeout-ms keepalive-time keepalive-cnt expect100-timeout parallel-max-host"),
    ForeignGroup(
      .only(["PEM", "pem"], .nothing, hint: ForeignHint.pem),
      arguments: "cert-type key-type proxy-cert-type proxy-key-type"),

    ForeignGroup(
      .refused(hint: ForeignHint.downloadsOnly),
      flags: "append:a crlf form-escape get:G head:I post301 post302 post303",
      arguments: """
        data:d data-ascii data-binary data-raw data-urlencode form:F form-string json request:X request-target
        upload-file:T upload-flags url-query
        """),
    ForeignGroup(
      .refused(hint: ForeignHint.noOtherProtocols),
      flags: """
        compressed-ssh disable-eprt disable-epsv ftp-create-dirs ftp-pasv ftp-pret ftp-skip-pasv-ip ftp-ssl-ccc
        ftp-ssl-control list-only:l mail-rcpt-allowfails sasl-ir ssl ssl-reqd ftp-ssl ftp-ssl-reqd
        tftp-no-options use-ascii:B
        """,
      arguments: """
        ftp-account ftp-alternative-to-user ftp-method ftp-port:P ftp-ssl-ccc-mode hostpubmd5 hostpubsha256 knownhosts
        krb login-options mail-auth mail-from mail-rcpt pubkey quote:Q sasl-authzid telnet-option:t tftp-blksize
        """),
    ForeignGroup(
      .refused(hint: "session cookies have 0 in the fifth field of the file: take these lines out of it"),
      flags: "junk-session-cookies:j"),
    ForeignGroup(
      .refused(hint: "-u USER:PASSWORD uses Basic or Digest; use -H 'Authorization: …' for a bearer token"),
      flags: "negotiate ntlm ntlm-wb",
      arguments: "aws-sigv4 delegation oauth2-bearer service-name"),
    ForeignGroup(
      .refused(hint: ForeignHint.proxyLogin),
      flags: "proxy-anyauth proxy-digest proxy-negotiate proxy-ntlm socks5-basic socks5-gssapi socks5-gssapi-nec",
      arguments: "proxy-user:U proxy-service-name socks5-gssapi-service"),
    ForeignGroup(
      .refused(hint: "set the proxy type with the URL scheme: --proxy socks5h://HOST"),
      flags: "proxytunnel:p haproxy-protocol proxy-http2",
      arguments: "preproxy proxy1.0 socks4 socks4a socks5 socks5-hostname proxy-header haproxy-clientip"),
    ForeignGroup(
      .refused(hint: ForeignHint.proxyTLS),
      flags: "proxy-ssl-allow-beast proxy-ca-native",
      arguments: """
        proxy-capath proxy-cert proxy-ciphers proxy-crlfile proxy-key proxy-pass proxy-pinnedpubkey
        proxy-tls13-ciphers proxy-tlsauthtype proxy-tlspassword proxy-tlsuser
        """),
    ForeignGroup(
      .refused(hint: ForeignHint.tls),
      flags: "ca-native cert-status ssl-allow-beast sslv2:2 sslv3:3 tlsv1.3 tls-earlydata",
      arguments: """
        ciphers crlfile curves dump-ca-embed ech egd-file engine pinnedpubkey random-file sigalgs
        ssl-sessions tls-max tls13-ciphers tlsauthtype tlspassword tlsuser
        """),
    ForeignGroup(.refused(hint: "--cert FILE:PASSWORD decrypts the certificate's key"), arguments: "pass"),
    ForeignGroup(
      .refused(hint: "--http1.1 and --http2 choose the version of HTTP"),
      flags: "http0.9 http1.0:0 http2-prior-knowledge http3 http3-only no-alpn"),
    ForeignGroup(
      .refused(hint: ForeignHint.resolver),
      flags: "doh-cert-status doh-insecure",
      arguments: "connect-to dns-interface dns-ipv4-addr dns-ipv6-addr dns-servers doh-url"),
    ForeignGroup(
      .refused(hint: ForeignHint.address),
      flags: "mptcp",
      arguments: "abstract-unix-socket interface ip-tos local-port unix-socket vlan-priority"),
    ForeignGroup(
      .refused(hint: "--retry-wait TIME sets the longest pause between attempts"), arguments: "retry-delay"),
    ForeignGroup(.refused(hint: "--max-time TIME limits the time for one file"), arguments: "retry-max-time"),
    ForeignGroup(
      .refused(hint: "temporary errors are retried (-t N); errors such as 404 are final"),
      flags: "retry-all-errors"),
    ForeignGroup(.refused(hint: ForeignHint.slow), arguments: "speed-limit:Y speed-time:y"),
    ForeignGroup(.refused(hint: "use -j N to limit parallel downloads"), arguments: "rate"),
    ForeignGroup(
      .refused(hint: "only http and https; a redirect from https to http needs a checksum"),
      arguments: "proto proto-default proto-redir"),
    ForeignGroup(
      .refused(hint: "credentials go only to hosts that you name; give the final URL yourself"),
      flags: "location-trusted"),
    ForeignGroup(.refused(hint: "-L is the default; --max-redirect N limits the redirects"), flags: "follow"),
    ForeignGroup(
      .refused(hint: "swiftget continues with the other files; the exit status reports the failure"),
      flags: "fail-early"),
    ForeignGroup(
      .refused(hint: "swiftget never saves error pages; it reports the status"), flags: "fail-with-body"),
    ForeignGroup(
      .refused(hint: "unfinished files keep a temporary name; --if-exists decides about existing files"),
      flags: "remove-on-error skip-existing"),
    ForeignGroup(
      .refused(hint: "use -N to download only files that are newer on the server"),
      arguments: "time-cond:z etag-compare etag-save"),
    ForeignGroup(.refused(hint: ForeignHint.wholeFile), arguments: "range:r"),
    ForeignGroup(
      .refused(hint: "swiftget saves files without content or transfer encoding"), flags: "raw tr-encoding"),
    ForeignGroup(
      .refused(hint: "swiftget always checks the size that the server reports"), flags: "ignore-content-length"),
    ForeignGroup(.refused(hint: "use --if-exists replace to overwrite existing files"), flags: "clobber"),
    ForeignGroup(.refused(hint: "-o /dev/null discards the file"), flags: "out-null"),
    ForeignGroup(.refused(hint: "the umask decides the file's mode"), arguments: "create-file-mode"),
    ForeignGroup(.refused(hint: ForeignHint.attributes), flags: "xattr"),
    ForeignGroup(.refused(hint: "for several files with their own options, use a list: -i LIST"), flags: "next::"),
    ForeignGroup(.refused(hint: ForeignHint.configuration), arguments: "config:K variable"),
    ForeignGroup(.refused(hint: ForeignHint.messages), arguments: "stderr"),
    ForeignGroup(.refused(hint: "use --progress json for machine-readable output"), arguments: "write-out:w"),
    ForeignGroup(
      .refused(hint: ForeignHint.details),
      flags: "include:i trace-ids trace-time", arguments: "dump-header:D libcurl trace trace-ascii trace-config"),
    ForeignGroup(.refused(hint: "man swiftget shows the manual"), flags: "manual:M"),
    ForeignGroup(
      .refused(hint: "swiftget has no HSTS; use https:// in the URL"), arguments: "alt-svc hsts"),
    ForeignGroup(.refused(hint: "swiftget always removes . and .. from paths"), flags: "path-as-is"),
    ForeignGroup(
      .refused(hint: "swiftget accepts a user name and password in a URL"),
      flags: "disallow-username-in-url"),
    ForeignGroup(
      .refused(hint: "swiftget does not read Metalink; -i LIST reads URLs, aria2 input files and checksums"),
      flags: "metalink"),
  ]
}
