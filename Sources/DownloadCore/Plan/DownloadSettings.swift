/// What the user chose for the run; every field has the default of the option table.
package struct DownloadSettings: Sendable, Equatable {
  package enum IfExists: String, Sendable, CaseIterable { case ask, keep, verify, replace, fail }
  package enum HTTPVersionChoice: String, Sendable { case automatic, http1, http2 }
  package enum AddressFamily: Sendable { case any, ipv4, ipv6 }

  /// Files at work at once; nil leaves it to the host governor.
  package var jobs: Int?
  /// Connections for the segments of one file; nil is automatic, at most 16.
  package var connectionsPerFile: Int?
  /// No range shorter than this is split off, bytes.
  package var minSplitSize: Int64 = 1 << 20
  package var maxConnectionsPerHost = 64
  /// Connections that libcurl keeps open for later requests, those at work included.
  package var mostKeptConnections = 512
  /// For the run; nil is never limited.
  package var limitRate: RateTimetable?
  /// For each file; nil is never limited.
  package var limitRatePerFile: RateTimetable?
  /// Attempts in a row without progress, at least 1.
  package var tries = 5
  /// The longest backoff between attempts, and the cap of an obeyed `Retry-After`'s multiple.
  package var retryWait: Duration = .seconds(60)
  /// A connection that brings nothing for so long is stalled.
  package var stallTimeout: Duration = .seconds(30)
  package var connectTimeout: Duration = .seconds(15)
  /// Time for one file; nil is unlimited.
  package var maxTime: Duration?
  /// The longest file that is taken, bytes; nil is unlimited.
  package var maxFilesize: Int64?
  package var maxRedirects = 20
  package var ifExists: IfExists = .ask
  package var timestamping = false
  package var resumes = true
  package var trustsLength = false
  package var allowsUnconfirmed = false
  package var syncs = true
  package var keepsRemoteTime = true

  package var headers: [String] = []
  /// `user:password` for every origin that the user named.
  package var user: String?
  package var usesNetrc = false
  package var netrcFile: String?
  package var userAgent: String?
  package var referer: String?
  package var caFile: String?
  package var caPath: String?
  /// Presented, with its key, to origins that the user named.
  package var clientCertificate: String?
  package var clientKey: String?
  /// Decrypts the client's private key; never shown.
  package var clientKeyPassword: String?
  package var verifiesTLS = true
  package var proxy: String?
  /// nil leaves it to the environment; empty switches proxies off only where `proxy` is nil too.
  package var noProxy: String?
  package var httpVersion: HTTPVersionChoice = .automatic
  package var addressFamily: AddressFamily = .any
  /// `HOST:PORT:ADDRESS` as in curl.
  package var resolve: [String] = []

  package init() {}
}

extension DownloadSettings {
  /// Files that may be open at once, in whatever stage: a large one takes two descriptors (part file and sidecar), as
  /// many go to connections, and the process itself takes about 24.
  package static func mostFiles(descriptorLimit: Int) -> Int { max(1, (descriptorLimit - 24) / 4) }

  /// The same with fewer files and connections at once where the process may open few descriptors.
  ///
  /// From 4,120 descriptors on nothing changes.
  package func fitting(descriptorLimit: Int) -> DownloadSettings {
    var settings = self
    let quarter = max(1, descriptorLimit / 4)
    let files = Self.mostFiles(descriptorLimit: descriptorLimit)
    if files < 1024 { settings.jobs = min(jobs ?? files, files) }
    settings.maxConnectionsPerHost = min(maxConnectionsPerHost, quarter)
    settings.mostKeptConnections = min(mostKeptConnections, quarter)
    let connections = max(1, descriptorLimit / 32)
    if connections < 16 || connectionsPerFile != nil {
      settings.connectionsPerFile = min(connectionsPerFile ?? connections, connections)
    }
    return settings
  }
}
