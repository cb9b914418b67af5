/// All long options of the other tools, from their manuals and `--help`, sorted: `=` follows those that need an argument,
/// `[=]` those that may have one; then a colon and the short name.
///
/// curl 7.88 with what 8.x adds, Wget 1.21 with deprecated names, aria2 1.37.
enum ForeignNames {
  static let curl = """
    abstract-unix-socket= alpn alt-svc= anyauth append:a aws-sigv4= basic buffer ca-native cacert= capath= cert=:E
    cert-status cert-type= ciphers= clobber compressed compressed-ssh config=:K connect-timeout= connect-to=
    continue-at=:C cookie=:b cookie-jar=:c create-dirs create-file-mode= crlf crlfile= curves= data=:d data-ascii=
    data-binary= data-raw= data-urlencode= delegation= digest disable:q disable-eprt disable-epsv
    disallow-username-in-url dns-interface= dns-ipv4-addr= dns-ipv6-addr= dns-servers= doh-cert-status
    doh-insecure doh-url= dump-ca-embed= dump-header=:D ech= egd-file= engine= eprt epsv etag-compare= etag-save=
    expect100-timeout= fail:f fail-early fail-with-body false-start follow form=:F form-escape form-string=
    ftp-account= ftp-alternative-to-user= ftp-create-dirs ftp-method= ftp-pasv ftp-port=:P ftp-pret
    ftp-skip-pasv-ip ftp-ssl ftp-ssl-ccc ftp-ssl-ccc-mode= ftp-ssl-control ftp-ssl-reqd get:G globoff:g
    happy-eyeballs-timeout-ms= haproxy-clientip= haproxy-protocol head:I header=:H help=:h hostpubmd5=
    hostpubsha256= hsts= http0.9 http1.0:0 http1.1 http2 http2-prior-knowledge http3 http3-only
    ignore-content-length include:i insecure:k interface= ip-tos= ipv4:4 ipv6:6 json= junk-session-cookies:j
    keepalive keepalive-cnt= keepalive-time= key= key-type= knownhosts= krb= libcurl= limit-rate= list-only:l
    local-port= location:L location-trusted login-options= mail-auth= mail-from= mail-rcpt= mail-rcpt-allowfails
    manual:M max-filesize= max-redirs= max-time=:m metalink mptcp negotiate netrc:n netrc-file= netrc-optional
    next:: no-alpn no-buffer:N no-clobber no-keepalive no-npn no-progress-meter no-sessionid noproxy= npn ntlm
    ntlm-wb oauth2-bearer= out-null output=:o output-dir= parallel:Z parallel-immediate parallel-max=
    parallel-max-host= pass= path-as-is pinnedpubkey= post301 post302 post303 preproxy= progress-bar:#
    progress-meter proto= proto-default= proto-redir= proxy=:x proxy-anyauth proxy-basic proxy-ca-native
    proxy-cacert= proxy-capath= proxy-cert= proxy-cert-type= proxy-ciphers= proxy-crlfile= proxy-digest
    proxy-header= proxy-http2 proxy-insecure proxy-key= proxy-key-type= proxy-negotiate proxy-ntlm proxy-pass=
    proxy-pinnedpubkey= proxy-service-name= proxy-ssl-allow-beast proxy-ssl-auto-client-cert proxy-tls13-ciphers=
    proxy-tlsauthtype= proxy-tlspassword= proxy-tlsuser= proxy-tlsv1 proxy-user=:U proxy1.0= proxytunnel:p pubkey=
    quote=:Q random-file= range=:r rate= raw referer=:e remote-header-name:J remote-name:O remote-name-all
    remote-time:R remove-on-error request=:X request-target= resolve= retry= retry-all-errors retry-connrefused
    retry-delay= retry-max-time= sasl-authzid= sasl-ir service-name= sessionid show-error:S sigalgs= silent:s
    skip-existing socks4= socks4a= socks5= socks5-basic socks5-gssapi socks5-gssapi-nec socks5-gssapi-service=
    socks5-hostname= speed-limit=:Y speed-time=:y ssl ssl-allow-beast ssl-auto-client-cert ssl-no-revoke ssl-reqd
    ssl-revoke-best-effort ssl-sessions= sslv2:2 sslv3:3 stderr= styled-output suppress-connect-headers
    tcp-fastopen tcp-nodelay telnet-option=:t tftp-blksize= tftp-no-options time-cond=:z tls-earlydata tls-max=
    tls13-ciphers= tlsauthtype= tlspassword= tlsuser= tlsv1:1 tlsv1.0 tlsv1.1 tlsv1.2 tlsv1.3 tr-encoding trace=
    trace-ascii= trace-config= trace-ids trace-time unix-socket= upload-file=:T upload-flags= url= url-query=
    use-ascii:B user=:u user-agent=:A variable= verbose:v version:V vlan-priority= write-out=:w xattr
    """

  static let wget = """
    accept=:A accept-regex= adjust-extension:E append-output=:a ask-password auth-no-challenge background:b
    backup-converted:K backups= base=:B bind-address= bind-dns-address= body-data= body-file= ca-certificate=
    ca-directory= certificate= certificate-type= ciphers= compression= config= connect-timeout=
    content-disposition content-on-error continue:c convert-file-only convert-links:k crl-file= cut-dirs= debug:d
    default-page= delete-after directory-prefix=:P dns-servers= dns-timeout= domains=:D egd-file=
    exclude-directories=:X exclude-domains= execute=:e follow-ftp follow-tags= force-directories:x force-html:F
    ftp-password= ftp-user= ftps-clear-data-connection ftps-fallback-to-ftp ftps-implicit ftps-resume-ssl header=
    help:h hsts-file= html-extension http-passwd= http-password= http-user= https-only ignore-case ignore-length
    ignore-tags= include-directories=:I inet4-only:4 inet6-only:6 input-file=:i input-metalink= iri keep-badhash
    keep-session-cookies level=:l limit-rate= load-cookies= local-encoding= max-redirect= metalink-index=
    metalink-over-http method= mirror:m no-cache no-check-certificate no-clobber:nc no-config no-cookies
    no-directories:nd no-dns-cache no-follow-ftp no-ftps-resume-ssl no-glob no-host-directories:nH no-hsts
    no-http-keep-alive no-if-modified-since no-iri no-netrc no-parent:np no-passive-ftp no-proxy no-remove-listing
    no-use-server-timestamps no-verbose:nv no-warc-compression no-warc-digests no-warc-keep-log output-document=:O
    output-file=:o page-requisites:p password= pinnedpubkey= post-data= post-file= prefer-family=
    preferred-location= preserve-permissions private-key= private-key-type= progress= protocol-directories
    proxy-passwd= proxy-password= proxy-user= quiet:q quota=:Q random-file= random-wait read-timeout= recursive:r
    referer= regex-type= reject=:R reject-regex= rejected-log= relative:L remote-encoding= report-speed=
    restrict-file-names= retr-symlinks retry-connrefused retry-on-host-error retry-on-http-error= save-cookies=
    save-headers secure-protocol= server-response:S show-progress span-hosts:H spider start-pos= strict-comments
    timeout=:T timestamping:N tries=:t trust-server-names unlink use-askpass= user= user-agent=:U verbose:v
    version:V wait=:w waitretry= warc-cdx warc-dedup= warc-file= warc-header= warc-max-size= warc-tempdir= xattr
    """

  static let aria2 = """
    all-proxy= all-proxy-passwd= all-proxy-user= allow-overwrite[=] allow-piece-length-change[=] always-resume[=]
    async-dns[=] async-dns-server= auto-file-renaming[=] auto-save-interval= bt-detach-seed-only[=]
    bt-enable-hook-after-hash-check[=] bt-enable-lpd[=] bt-exclude-tracker= bt-external-ip= bt-force-encryption[=]
    bt-hash-check-seed[=] bt-load-saved-metadata[=] bt-lpd-interface= bt-max-open-files= bt-max-peers=
    bt-metadata-only[=] bt-min-crypto-level= bt-prioritize-piece= bt-remove-unselected-file[=]
    bt-request-peer-speed-limit= bt-require-crypto[=] bt-save-metadata[=] bt-seed-unverified[=] bt-stop-timeout=
    bt-tracker= bt-tracker-connect-timeout= bt-tracker-interval= bt-tracker-timeout= ca-certificate= certificate=
    check-certificate[=] check-integrity[=]:V checksum= conditional-get[=] conf-path= connect-timeout=
    console-log-level= content-disposition-default-utf8[=] continue[=]:c daemon[=]:D deferred-input[=]
    dht-entry-point= dht-entry-point6= dht-file-path= dht-file-path6= dht-listen-addr6= dht-listen-port=
    dht-message-timeout= dir=:d disable-ipv6[=] disk-cache= download-result= dry-run[=] dscp= enable-async-dns6[=]
    enable-color[=] enable-dht[=] enable-dht6[=] enable-http-keep-alive[=] enable-http-pipelining[=]
    enable-mmap[=] enable-peer-exchange[=] enable-rpc[=] event-poll= file-allocation= follow-metalink=
    follow-torrent= force-save[=] force-sequential[=]:Z ftp-passwd= ftp-pasv[=]:p ftp-proxy= ftp-proxy-passwd=
    ftp-proxy-user= ftp-reuse-connection[=] ftp-type= ftp-user= gid= hash-check-only[=] header= help[=]:h
    http-accept-gzip[=] http-auth-challenge[=] http-no-cache[=] http-passwd= http-proxy= http-proxy-passwd=
    http-proxy-user= http-user= https-proxy= https-proxy-passwd= https-proxy-user= human-readable[=] index-out=:O
    input-file=:i interface= keep-unfinished-download-result[=] listen-port= load-cookies= log=:l log-level=
    lowest-speed-limit= max-concurrent-downloads=:j max-connection-per-server=:x max-download-limit=
    max-download-result= max-file-not-found= max-mmap-limit= max-overall-download-limit= max-overall-upload-limit=
    max-resume-failure-tries= max-tries=:m max-upload-limit=:u metalink-base-uri=
    metalink-enable-unique-protocol[=] metalink-file=:M metalink-language= metalink-location= metalink-os=
    metalink-preferred-protocol= metalink-version= min-split-size=:k min-tls-version= multiple-interface=
    netrc-path= no-conf[=] no-file-allocation-limit= no-netrc[=]:n no-proxy= no-want-digest-header[=] on-bt-download-complete=
    on-download-complete= on-download-error= on-download-pause= on-download-start= on-download-stop=
    optimize-concurrent-downloads[=] out=:o parameterized-uri[=]:P pause[=] pause-metadata[=] peer-agent=
    peer-id-prefix= piece-length= private-key= proxy-method= quiet[=]:q realtime-chunk-checksum[=] referer=
    remote-time[=]:R remove-control-file[=] retry-wait= reuse-uri[=] rlimit-nofile= rpc-allow-origin-all[=]
    rpc-certificate= rpc-listen-all[=] rpc-listen-port= rpc-max-request-size= rpc-passwd= rpc-private-key=
    rpc-save-upload-metadata[=] rpc-secret= rpc-secure[=] rpc-user= save-cookies= save-not-found[=] save-session=
    save-session-interval= seed-ratio= seed-time= select-file= server-stat-if= server-stat-of=
    server-stat-timeout= show-console-readout[=] show-files[=]:S socket-recv-buffer-size= split=:s
    ssh-host-key-md= stderr[=] stop= stop-with-process= stream-piece-selector= summary-interval= timeout=:t
    torrent-file=:T truncate-console-readout[=] uri-selector= use-head[=] user-agent=:U version:v
    """
}
