internal import DownloadCore
internal import DownloadTransport

/// The ranges of settings and limits. A value outside is refused; none is changed silently.
extension RequestChecker {
  static func check(_ settings: DownloadSettings) throws(DownloadError) {
    try check(settings.connections, in: 1...64, "connections for a file")
    try check(settings.bytesPerSecond, in: 1...Int64.max, "bytesPerSecond")
    try check(settings.tries, in: 1...1_000_000, "tries")
    for (time, name) in [
      (settings.stallTimeout, "stallTimeout"), (settings.connectTimeout, "connectTimeout"),
      (settings.maxTime, "maxTime"),
    ] {
      if let time, time <= .zero { throw DownloadError(.invalidValue, "\(name) is above 0") }
    }
    if let headers = settings.headers { _ = try lines(headers) }
    if let checksum = settings.checksum, !checksum.isWellFormed {
      throw DownloadError(.invalidValue, "'\(checksum)' is no checksum")
    }
    if let agent = settings.userAgent, HeaderField("User-Agent", agent).line == nil {
      throw DownloadError(.invalidValue, "a user agent has no line breaks")
    }
    if let proxy = settings.proxy, !proxy.isEmpty, !URLParser.isProxy(proxy) {
      throw DownloadError(.invalidValue, "the proxy is no URL that can be used")
    }
    if let interface = settings.interface, !NetworkInterface.isOne(interface) {
      throw DownloadError(
        .invalidValue, "'\(interface)' is neither a network interface of this machine nor an IP address")
    }
    if let wrong = settings.acceptedStatuses?.first(where: { !WholeStatuses.mayAccept($0) }) {
      throw DownloadError(
        .invalidValue, "\(wrong) is not a status of a whole file: 200 to 299, except 204, 205 and 206")
    }
  }

  static func check(_ limits: DownloadLimits) throws(DownloadError) {
    try check(limits.activeFiles, in: 1...1_000_000, "activeFiles")
    try check(limits.connections, in: 1...1_000_000, "connections")
    try check(limits.bytesPerSecond, in: 1...Int64.max, "bytesPerSecond")
    try check(limits.requestsPerSecond, in: 0.001...1_000_000, "requestsPerSecond")
  }

  private static func check<Value: Comparable>(
    _ value: Value?, in range: ClosedRange<Value>, _ name: String
  ) throws(DownloadError) {
    guard let value, !range.contains(value) else { return }
    throw DownloadError(.invalidValue, "\(name) is \(value); it is in \(range.lowerBound)...\(range.upperBound)")
  }
}

extension DownloadSettings {
  /// Requires that nothing is given which holds for one task only.
  ///
  /// - Throws: `invalidValue`.
  func requireNothingOfOneTask() throws(DownloadError) {
    if fields.url != nil { throw DownloadError(.invalidValue, "a URL is set for one task only") }
    if fields.name != nil { throw DownloadError(.invalidValue, "a name is set for one task only") }
    if fields.checksum != nil { throw DownloadError(.invalidValue, "a checksum is set for one task only") }
  }

  /// For the engine; nil if nothing is decided.
  var taskSettings: TaskSettings? {
    let fields = fields
    if fields == Fields() { return nil }
    var settings = TaskSettings()
    settings.maxConnections = fields.connections ?? nil
    settings.tries = fields.tries ?? nil
    settings.maxTime = fields.maxTime ?? nil
    settings.connectTimeout = fields.connectTimeout ?? nil
    settings.stallTimeout = fields.stallTimeout ?? nil
    settings.userAgent = fields.userAgent ?? nil
    settings.proxy = fields.proxy ?? nil
    settings.interface = fields.interface ?? nil
    settings.wholeStatuses = (fields.acceptedStatuses ?? nil).map { WholeStatuses(further: $0) }
    settings.limitRate = (fields.bytesPerSecond ?? nil).map { RateTimetable(rate: $0) }
    settings.ifExists = (fields.ifExists ?? nil)?.engineValue
    settings.timestamping = fields.timestamping ?? nil
    settings.umask = fields.umask ?? nil
    settings.verifyCommand = fields.verifyCommand ?? nil
    settings.onComplete = fields.onComplete ?? nil
    settings.onFailure = fields.onFailure ?? nil
    settings.nameSource = fields.nameSource ?? nil
    return settings == TaskSettings() ? nil : settings
  }

  /// The engine's settings with these, which count more.
  func over(_ settings: RunSettings) throws(DownloadError) -> RunSettings {
    var settings = settings
    let fields = fields
    if let value = fields.connections ?? nil { settings.file.maxConnections = value }
    if let value = fields.tries ?? nil {
      settings.file.tries = value
      settings.file.patience = nil
    }
    if let value = fields.maxTime ?? nil { settings.limits.maxTime = value }
    if let value = fields.connectTimeout ?? nil { settings.transport.connectTimeout = value }
    if let value = fields.stallTimeout ?? nil { settings.transport.stallTimeout = value }
    if let value = fields.userAgent ?? nil { settings.transport.userAgent = value }
    if let value = fields.proxy ?? nil { settings.transport.proxy = value }
    if let value = fields.interface ?? nil { settings.transport.interface = value }
    if let value = fields.acceptedStatuses ?? nil { settings.file.wholeStatuses = WholeStatuses(further: value) }
    if let value = fields.bytesPerSecond ?? nil { settings.limits.limitRatePerFile = RateTimetable(rate: value) }
    if let value = fields.ifExists ?? nil { settings.target.ifExists = value.engineValue }
    if let value = fields.headers ?? nil { settings.transport.headers = try RequestChecker.lines(value) }
    switch fields.credential ?? nil {
    case .user(let name, let password)?: settings.secrets.user = "\(name):\(password)"
    case .bearer(let token)?:
      settings.transport.headers += try RequestChecker.lines([HeaderField("Authorization", "Bearer \(token)")])
    case nil: break
    }
    return settings
  }
}

extension DownloadLimits {
  /// For a group.
  var groupLimits: GroupLimits {
    GroupLimits(
      jobs: activeFiles, connections: connections, rate: bytesPerSecond.map { RateTimetable(rate: $0) })
  }

  /// The engine's settings with these.
  func over(_ settings: RunSettings) -> RunSettings {
    var settings = settings
    settings.limits.jobs = activeFiles
    settings.limits.maxConnections = connections
    settings.limits.limitRate = bytesPerSecond.map { RateTimetable(rate: $0) }
    settings.limits.requestsPerSecond = requestsPerSecond
    return settings
  }
}
