internal import CommandOptions
internal import DownloadCore
internal import DownloadFiles
internal import DownloadScratch
internal import DownloadTransport
internal import SwiftGet

/// Makes requests to a session of the files of lists, with what the command line says of all of them.
struct InvocationRequests {
  private let invocation: Invocation
  private let directory: [UInt8]
  private let settings: DownloadSettings
  private let headers: [HeaderField]
  private let credential: DownloadCredential?

  init(_ invocation: Invocation) throws(Failure) {
    self.invocation = invocation
    directory = AbsolutePath.of(directory: invocation.naming.directory ?? [])
    var settings = try DownloadSettings(invocation.settings)
    settings.fields.umask = FileCreationMask.current
    if let command = invocation.settings.target.verifyCommand {
      settings.fields.verifyCommand = VerifyCommand(try Self.placed(command.placed.command, of: .verifyCommand))
    }
    let hooks = invocation.unattended.hooksOfTasks
    if let hook = hooks[.complete] { settings.fields.onComplete = try Self.placed(hook, of: .onComplete) }
    if let hook = hooks[.failure] { settings.fields.onFailure = try Self.placed(hook, of: .onFailure) }
    self.settings = settings
    headers = invocation.settings.transport.headers.map { HeaderField(line: $0) }
    credential = invocation.settings.secrets.user.map { text in
      let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      return .user(parts[0], password: parts.count > 1 ? parts[1] : "")
    }
  }

  /// - Returns: a command that runs where this process does.
  /// - Throws: a usage error for a command that no session can keep.
  private static func placed(_ command: CommandWords, of option: OptionID) throws(Failure) -> PlacedCommand {
    let placed = PlacedCommand(command, in: AbsolutePath.of(directory: []))
    if String(validating: command.text + placed.directory, as: UTF8.self) != nil { return placed }
    throw Failure(.usage, "\(option.name): a session keeps UTF-8 only", about: [option.name])
  }

  /// - Throws: a usage error for a file that no session can keep.
  func request(_ file: FileRequest) throws(Failure) -> DownloadRequest {
    guard String(validating: file.target.name, as: UTF8.self) != nil else {
      throw Failure(.usage, "the name is not UTF-8")
    }
    var request: DownloadRequest
    do throws(DownloadError) { request = try DownloadRequest(file, in: directory, mayLeave: true) } catch {
      throw Failure(.usage, error.message)
    }
    let place = AbsolutePath.of(directory: Array((request.directory ?? "").utf8))
    request.directory = String(decoding: place, as: UTF8.self)
    let own = Set(request.headers.map { $0.name.lowercased() })
    request.headers += headers.filter { !own.contains($0.name.lowercased()) }
    request.credential = credential
    request.settings = settings
    if file.isNamedByAnswer { request.settings.nameSource = invocation.settings.target.nameSource }
    // The process that works on the session has other variables.
    let proxy = ProxyVariables.proxy(
      for: file.mirrors[0].location, given: settings.proxy, noProxy: invocation.settings.transport.noProxy)
    if proxy != settings.proxy { request.settings.proxy = proxy }
    request.group = invocation.session.group
    request.priority = invocation.session.priority
    return request
  }
}

extension DownloadSettings {
  /// What differs from the usual settings.
  fileprivate init(_ settings: RunSettings) throws(Failure) {
    self.init()
    let usual = RunSettings()
    func given<Value: Equatable>(_ path: KeyPath<RunSettings, Value>) -> Value? {
      settings[keyPath: path] == usual[keyPath: path] ? nil : settings[keyPath: path]
    }
    if let count = given(\.file.maxConnections) { connections = count }
    if let count = given(\.file.tries) { tries = count }
    if let time = given(\.limits.maxTime) { maxTime = time }
    if let time = given(\.transport.connectTimeout) { connectTimeout = time }
    if let time = given(\.transport.stallTimeout) { stallTimeout = time }
    if let agent = given(\.transport.userAgent) { userAgent = agent }
    if let url = given(\.transport.proxy) { proxy = url }
    if let name = given(\.transport.interface) { interface = name }
    if let statuses = given(\.file.wholeStatuses) { acceptedStatuses = statuses.further }
    if let choice = given(\.target.ifExists) { ifExists = IfExists(choice) }
    if settings.target.timestamping { fields.timestamping = true }
    let rate = try settings.limits.limitRatePerFile.flatMap { (rates) throws(Failure) in
      try rates.constant(of: .limitRatePerFile)
    }
    if let rate { bytesPerSecond = rate }
  }
}

extension IfExists {
  fileprivate init(_ choice: TargetSettings.IfExists) {
    self = [.keep, .verify, .replace, .fail].first { $0.engineValue == choice } ?? .ask
  }
}

extension DownloadConfiguration {
  /// What a session has of the command line of the process that works on it.
  init(_ invocation: Invocation) throws(Failure) {
    self.init()
    run = invocation.worker?.settings ?? RunSettings()
    (run.secrets.netrcFiles, run.secrets.cookies) =
      (invocation.settings.secrets.netrcFiles, invocation.settings.secrets.cookies)
    // Requests bring their own directories.
    directory = "/"
    // The process may leave its directory.
    let working = AbsolutePath.of(directory: [])
    for path: WritableKeyPath<TransportSettings, String?> in [
      \.caFile, \.caPath, \.clientCertificate, \.clientKey, \.proxyCAFile,
    ] {
      run.transport[keyPath: path] = run.transport[keyPath: path].map {
        String(decoding: AbsolutePath.of(Array($0.utf8), in: working), as: UTF8.self)
      }
    }
    if let jar = run.secrets.cookies?.jar { run.secrets.cookies?.jar = AbsolutePath.of(jar, in: working) }
    if let limits = try DownloadLimits(invocation.settings.limits) { self.limits = limits }
  }
}

extension DownloadLimits {
  /// Those of the session as a whole; nil if the command line has none.
  init?(_ limits: RunLimits) throws(Failure) {
    self.init()
    if let jobs = limits.jobs { activeFiles = jobs }
    if let rate = try limits.limitRate.flatMap({ (rates) throws(Failure) in try rates.constant(of: .limitRate) }) {
      bytesPerSecond = rate
    }
    if let requests = limits.requestsPerSecond { requestsPerSecond = requests }
    if self == DownloadLimits() { return nil }
  }
}

extension Invocation {
  /// The limits of the session as a whole that the command line itself has; nil if it has none.
  var limitsOfLine: DownloadLimits? {
    get throws(Failure) {
      var limits = settings.limits
      if standing.have(.jobs) { limits.jobs = nil }
      if standing.have(.limitRate) { limits.limitRate = nil }
      if standing.have(.limitRequests) { limits.requestsPerSecond = nil }
      return try DownloadLimits(limits)
    }
  }
}

extension RateTimetable {
  /// Bytes a second; nil is unlimited.
  fileprivate func constant(of option: OptionID) throws(Failure) -> Int64? {
    guard secondsToChange(from: 0) == nil else {
      throw Failure(
        .usage, "--\(OptionTable.spec(option).long): a session has one rate, and no times of day",
        hint: "give one rate, and change it with 'swiftget ctl limit rate=R'")
    }
    return rate(at: 0)
  }
}
