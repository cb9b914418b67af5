/// The user's settings of a run. Every field has the default of the option table.
package struct DownloadSettings: Sendable, Equatable {
  package enum IfExists: String, Sendable, CaseIterable { case ask, keep, verify, replace, fail }
  /// The given URL, the one to which redirects have led, or the Content-Disposition field of the answer.
  package enum NameSource: String, Sendable {
    case url, answer
    case lastURL = "last-url"
  }

  package enum HTTPVersionChoice: String, Sendable { case automatic, http1, http2 }
  package enum AddressFamily: Sendable { case any, ipv4, ipv6 }

  /// Concurrent files; nil leaves the number to the host governor.
  package var jobs: Int?
  /// Connections per file; nil is automatic, at most 16.
  package var connectionsPerFile: Int?
  /// The shortest segment that is split off, in bytes.
  package var minSplitSize: Int64 = 1 << 20
  package var maxConnectionsPerHost = 64
  /// Connections that libcurl keeps open for later requests, including active ones.
  package var mostKeptConnections = 512
  /// The limit for the whole run; nil is unlimited.
  package var limitRate: RateTimetable?
  /// The limit for each file; nil is unlimited.
  package var limitRatePerFile: RateTimetable?
  /// The number of consecutive attempts without progress, at least 1.
  package var tries = 5
  /// The longest backoff between attempts; also bounds how long a `Retry-After` is obeyed.
  package var retryWait: Duration = .seconds(60)
  /// A connection without data for this long is stalled.
  package var stallTimeout: Duration = .seconds(30)
  package var connectTimeout: Duration = .seconds(15)
  /// The longest time for one file; nil is unlimited.
  package var maxTime: Duration?
  /// What judges each file before it gets its name; nil is nothing.
  package var verifyCommand: VerifyCommand?
  /// How long the run waits at its end for targets that other runs hold; nil is a few seconds.
  package var lockWait: Duration?
  /// When the run ends, whatever is left of it; nil is unlimited.
  package var deadline: RunDeadline?
  /// The largest file that is downloaded, in bytes; nil is unlimited.
  package var maxFilesize: Int64?
  /// How many failures end the run; nil is any number.
  package var maxFailures: FailureLimit?
  package var maxRedirects = 20
  package var ifExists: IfExists = .ask
  package var timestamping = false
  /// Whether servers are asked about the files, and nothing is downloaded (`--spider`).
  package var asksOnly = false
  /// Whether a coded answer fails the file, unless its name is usual for the coding (`--compressed`).
  package var refusesCodings = false
  /// What names a file that neither the command line nor a list names (`--name-from`).
  package var nameSource = NameSource.url
  /// Whether the network names files.
  package var takesSuggestedNames: Bool { nameSource != .url }
  /// Names relative to the directory of the run that servers cannot suggest: those of files that the run itself writes.
  package var takenNames: [[UInt8]] = []
  package var resumes = true
  package var trustsLength = false
  package var allowsUnconfirmed = false
  /// Whether an HTML page of another host is content for any name (`--accept-html`).
  package var acceptsHTML = false
  package var syncs = true
  package var keepsRemoteTime = true
  /// Digests that outcomes of downloaded files have, whether or not one is expected (`--lock`).
  package var recordedAlgorithms: [DigestAlgorithm] = []
  /// Digests that are computed of each file besides the expected ones. They show what `verifyCommand` has done to it.
  package var computedAlgorithms: [DigestAlgorithm] {
    recordedAlgorithms.isEmpty && verifyCommand != nil ? [.sha256] : recordedAlgorithms
  }

  /// Country codes in lower case of preferred mirrors, the best first. Of several mirrors that a server names, those of
  /// these countries join first (`--metalink-location`).
  package var countries: [String] = []

  package var headers: [String] = []
  /// What differs for some hosts.
  package var hosts = HostRules()
  /// `user:password`, or with a netrc file `user`; sent only to origins that the user named.
  package var user: String?
  package var usesNetrc = false
  package var netrcFile: String?
  /// The netrc file of the run; nil for none.
  package var netrc: NetrcPlace? { netrcFile.map(NetrcPlace.named) ?? (usesNetrc ? .usual : nil) }
  /// What was read from the netrc files of the run and of hosts. Secret.
  package var netrcFiles: [NetrcPlace: NetrcFile] = [:]
  package var userAgent: String?
  package var referer: String?
  package var caFile: String?
  package var caPath: String?
  /// The client certificate. It is presented only to origins that the user named.
  package var clientCertificate: String?
  package var clientKey: String?
  /// The passphrase of the client's private key; never shown.
  package var clientKeyPassword: String?
  package var verifiesTLS = true
  package var proxy: String?
  package var proxyCAFile: String?
  package var verifiesProxyTLS = true
  /// Nil uses the environment. An empty string disables proxies only if `proxy` is nil as well.
  package var noProxy: String?
  package var httpVersion: HTTPVersionChoice = .automatic
  package var addressFamily: AddressFamily = .any
  /// `HOST:PORT:ADDRESS` as in curl.
  package var resolve: [String] = []

  /// Nil keeps no cookies; those in `headers` are sent all the same.
  package var cookies: Cookies?

  /// Cookies, which all exchanges of the run share.
  package struct Cookies: Sendable, Equatable {
    /// Lines of a `CookieFile`. Secret.
    package var loaded: [[UInt8]]
    /// The file that cookies are saved to at the end of the run; nil saves none.
    package var jar: [UInt8]?

    package init(loaded: [[UInt8]] = [], jar: [UInt8]? = nil) {
      self.loaded = loaded
      self.jar = jar
    }
  }

  package init() {}
}

extension DownloadSettings {
  /// The number of files that may be open at once. A large file takes two descriptors (part file and sidecar), its
  /// connections take as many again, and the process itself takes about 24.
  package static func mostFiles(descriptorLimit: Int) -> Int { max(1, (descriptorLimit - 24) / 4) }

  /// The same settings with fewer concurrent files and connections where the descriptor limit is low.
  ///
  /// Changes nothing for 4,120 descriptors or more.
  package func fitting(descriptorLimit: Int) -> DownloadSettings {
    var settings = self
    let quarter = max(1, descriptorLimit / 4)
    let files = Self.mostFiles(descriptorLimit: descriptorLimit)
    if files < 1024 { settings.jobs = min(jobs ?? files, files) }
    settings.maxConnectionsPerHost = min(maxConnectionsPerHost, quarter)
    settings.hosts.limitConnections(to: quarter)
    settings.mostKeptConnections = min(mostKeptConnections, quarter)
    let connections = max(1, descriptorLimit / 32)
    if connections < 16 || connectionsPerFile != nil {
      settings.connectionsPerFile = min(connectionsPerFile ?? connections, connections)
    }
    return settings
  }
}
