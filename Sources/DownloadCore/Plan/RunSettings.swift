/// The user's settings of a run, by who needs them. Every field has the default of the option table.
package struct RunSettings: Sendable, Equatable {
  package var limits = RunLimits()
  package var file = FileSettings()
  package var target = TargetSettings()
  package var transport = TransportSettings()
  package var secrets = Secrets()
  /// Whether servers are asked about the files, and nothing is downloaded (`--spider`).
  package var asksOnly = false

  package init() {}

  /// The settings of a file, with what others decide about it.
  var judgedFile: FileSettings {
    var settings = file
    settings.isJudged = target.verifyCommand != nil
    return settings
  }

  /// The number of files that may be open at once. A large file takes two descriptors (part file and sidecar), its
  /// connections take as many again, and the process itself takes about 26.
  package static func mostFiles(descriptorLimit: Int) -> Int { max(1, (descriptorLimit - 26) / 4) }

  /// The same settings with fewer concurrent files and connections where the descriptor limit is low.
  ///
  /// Changes nothing for 4,122 descriptors or more.
  package func fitting(descriptorLimit: Int) -> RunSettings {
    var settings = self
    let quarter = max(1, descriptorLimit / 4)
    let files = Self.mostFiles(descriptorLimit: descriptorLimit)
    if files < 1024 { settings.limits.jobs = min(limits.jobs ?? files, files) }
    settings.limits.maxConnectionsPerHost = min(limits.maxConnectionsPerHost, quarter)
    settings.transport.hosts.limitConnections(to: quarter)
    settings.transport.mostKeptConnections = min(transport.mostKeptConnections, quarter)
    settings.file.maxConnections = min(file.maxConnections, max(1, descriptorLimit / 32))
    return settings
  }
}

/// What a run as a whole may take.
package struct RunLimits: Sendable, Equatable {
  /// Concurrent files; nil leaves the number to the host governor.
  package var jobs: Int?
  package var maxConnectionsPerHost = Self.usualConnectionsPerHost
  /// Connections of all files, at least 1; nil is unlimited.
  package var maxConnections: Int?
  /// The limit for the whole run; nil is unlimited.
  package var limitRate: RateTimetable?
  /// The limit for each file; nil is unlimited.
  package var limitRatePerFile: RateTimetable?
  /// Requests of all files a second, above 0; nil is unlimited.
  package var requestsPerSecond: Double?
  /// The longest time for one file; nil is unlimited.
  package var maxTime: Duration?
  /// How many failures end the run; nil is any number.
  package var maxFailures: FailureLimit?
  /// How long the run waits at its end for targets that other runs hold; nil is a few seconds.
  package var lockWait: Duration?

  /// The maximum of connections to one host if the user names none.
  package static let usualConnectionsPerHost = 64

  package init() {}
}

/// How servers are reached and asked.
package struct TransportSettings: Sendable, Equatable {
  package enum HTTPVersionChoice: String, Sendable { case automatic, http1, http2 }
  package enum AddressFamily: Sendable { case any, ipv4, ipv6 }

  package var connectTimeout: Duration = .seconds(15)
  /// A connection without data for this long is stalled.
  package var stallTimeout: Duration = .seconds(30)
  /// Whether a network that is lost is waited for, without a try.
  package var waitsForNetwork = false
  /// Connections that libcurl keeps open for later requests, including active ones.
  package var mostKeptConnections = 512
  package var headers: [String] = []
  /// What differs for some hosts. May hold credentials.
  package var hosts = HostRules()
  package var userAgent: String?
  package var referer: String?
  package var caFile: String?
  package var caPath: String?
  /// The client certificate. It is presented only to origins that the user named.
  package var clientCertificate: String?
  package var clientKey: String?
  package var verifiesTLS = true
  package var proxy: String?
  package var proxyCAFile: String?
  package var verifiesProxyTLS = true
  /// Nil uses the environment. An empty string disables proxies only if `proxy` is nil as well.
  package var noProxy: String?
  package var httpVersion: HTTPVersionChoice = .automatic
  package var addressFamily: AddressFamily = .any
  /// The network interface, or its address, from which connections are made; nil leaves the choice to the system.
  package var interface: String?
  /// `HOST:PORT:ADDRESS` as in curl.
  package var resolve: [String] = []

  package init() {}
}
