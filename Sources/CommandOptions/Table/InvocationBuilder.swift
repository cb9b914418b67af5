internal import DownloadCore
internal import DownloadLists

/// An `Invocation` that options are applied to, those that count least first. Of contradicting options, the last one counts.
struct InvocationBuilder {
  /// Where an option comes from; what comes later counts more.
  enum Level { case file, variable, session, commandLine }

  let environment: Environment
  var invocation = Invocation()
  var connectionLimits = ConnectionLimits()
  /// That of wget's `--password`, for the user of the run.
  var password: String?
  /// A command that ends parsing, such as `--help`.
  var command: Command?

  private var level = Level.file
  /// Header lines of lower levels, which one of the same name replaces.
  private var inheritedHeaderCount = 0
  /// Whether options are for the last of `invocation.settings.transport.hosts`.
  private(set) var isOfHost = false
  /// What named the netrc file of the run.
  private var netrcFileLevel: Level?

  init(_ environment: Environment) { self.environment = environment }

  mutating func begin(_ level: Level) {
    self.level = level
    isOfHost = false
    connectionLimits = ConnectionLimits()
    inheritedHeaderCount = invocation.settings.transport.headers.count
  }

  /// The options that follow are for hosts with such names.
  mutating func beginHosts(_ patterns: [String]) {
    invocation.settings.transport.hosts.rules.append(HostRules.Rule(patterns: patterns))
    isOfHost = true
  }

  /// Notes where an option stands that is applied next.
  ///
  /// - Parameters:
  ///   - option: its name with its dashes.
  ///   - spelling: as its source has it.
  mutating func note(_ option: String, spelling: String) {
    if level == .commandLine {
      invocation.standing.remove(option)
    } else {
      invocation.standing.add(option, spelling: spelling, isOfHost: isOfHost)
    }
  }

  /// An option is taken back.
  mutating func forget(_ option: String) { if !isOfHost { invocation.standing.remove(option) } }

  /// Makes a property what it is without options.
  mutating func reset<Value>(_ path: WritableKeyPath<Invocation, Value>) {
    invocation[keyPath: path] = Invocation()[keyPath: path]
  }

  mutating func add(checksum value: OptionArgument) throws(Failure) {
    for digest in try value.digests() {
      do { try invocation.lists.checksums.add(digest) } catch { throw Failure(error, of: value.spelling) }
    }
  }

  mutating func add(header line: String) {
    if isOfHost { return invocation.settings.transport.hosts.changeLast { $0.headers.append(line) } }
    if inheritedHeaderCount > 0 {
      let inherited = Array(invocation.settings.transport.headers.prefix(inheritedHeaderCount)).without([line])
      invocation.settings.transport.headers.replaceSubrange(..<inheritedHeaderCount, with: inherited)
      inheritedHeaderCount = inherited.count
    }
    invocation.settings.transport.headers.append(line)
    if level != .file { invocation.settings.transport.hosts.overrideHeader(line) }
  }

  /// Takes back all lines, those for hosts too where they count less.
  mutating func removeHeaders() {
    if isOfHost { return invocation.settings.transport.hosts.changeLast { $0.headers = [] } }
    invocation.settings.transport.headers = []
    inheritedHeaderCount = 0
    guard level != .file else { return }
    for index in invocation.settings.transport.hosts.rules.indices {
      invocation.settings.transport.hosts.rules[index].settings.headers = []
    }
  }

  mutating func set(user: String?) {
    if isOfHost { return invocation.settings.transport.hosts.changeLast { $0.user = user } }
    invocation.settings.secrets.user = user
    if level != .file { invocation.settings.transport.hosts.overrideUser() }
  }

  /// Gives the user of the run a password of its own, unless it has one.
  func addPassword(to invocation: inout Invocation) {
    guard let password, let user = invocation.settings.secrets.user, !user.contains(":") else { return }
    invocation.settings.secrets.user = "\(user):\(password)"
  }

  /// - Parameter netrc: nil for no file.
  mutating func set(netrc: NetrcPlace?) {
    if isOfHost { return invocation.settings.transport.hosts.changeLast { $0.netrc = netrc } }
    invocation.settings.secrets.usesNetrc = netrc != nil
    switch netrc {
    case .named(let file): (invocation.settings.secrets.netrcFile, netrcFileLevel) = (file, level)
    // In one place both options mean the named file.
    case .usual where netrcFileLevel == level: break
    case .usual, nil: invocation.settings.secrets.netrcFile = nil
    }
    if level != .file { invocation.settings.transport.hosts.overrideNetrc() }
  }

  mutating func set(limitRate: RateTimetable?) {
    if isOfHost { return invocation.settings.transport.hosts.changeLast { $0.limitRate = limitRate } }
    invocation.settings.limits.limitRate = limitRate
  }

  mutating func set(requestsPerSecond: Double?) {
    if isOfHost { return invocation.settings.transport.hosts.changeLast { $0.requestsPerSecond = requestsPerSecond } }
    invocation.settings.limits.requestsPerSecond = requestsPerSecond
  }

  mutating func set(maxConnectionsPerHost count: Int) {
    if isOfHost { return invocation.settings.transport.hosts.changeLast { $0.maxConnections = count } }
    invocation.settings.limits.maxConnectionsPerHost = count
    if level != .file { invocation.settings.transport.hosts.overrideConnections() }
  }

  mutating func set(certificate: (file: String?, password: String?)) {
    invocation.settings.transport.clientCertificate = certificate.file
    invocation.settings.secrets.clientKeyPassword = certificate.password
  }
}
