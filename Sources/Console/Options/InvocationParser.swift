import DownloadCore
import ManifestWriting

/// Turns the scanner's findings into an `Invocation`. Of contradicting options, the last one counts.
struct InvocationParser {
  private static let day = Duration.seconds(86_400)

  /// Where an option comes from; what comes later counts more.
  private enum Level { case file, variable, commandLine }

  private let environment: Environment
  private let standing: StandingOptions
  private var level = Level.file
  /// Header lines of lower levels, which one of the same name replaces.
  private var inheritedHeaderCount = 0
  /// Whether options are for the last of `invocation.settings.transport.hosts`.
  private var isOfHost = false
  private var invocation = Invocation()
  /// The first option given that is valid with exactly one URL only, and the first that is valid with a list only.
  private var singleFileOption: String?
  private var manifestOption: String?
  private var manifestOptions = ManifestOptions()
  private var connectionLimits = ConnectionLimits()

  init(_ environment: Environment, _ standing: StandingOptions) {
    self.environment = environment
    self.standing = standing
  }

  mutating func parse(_ arguments: [[UInt8]]) throws(UsageErrors) -> Command {
    var errors: [DownloadError] = []
    var shown: [GivenOption] = []
    let scan = CommandLineScanner(arguments)
    let given = scan.findings.compactMap { if case .option(let spec, _, _) = $0 { spec.id } else { nil } }
    let meaningless = StandingRules.meaningless(beside: given)
    let ofLine = ExclusiveOptions.counting(scan.findings.map(StandingFinding.init), without: [])
    let weaker = meaningless.union(ExclusiveOptions.contradicting(ofLine))
    let ofVariable = ExclusiveOptions.counting(standing.ofVariable, without: weaker)
    let weakest = weaker.union(ExclusiveOptions.contradicting(ofVariable))
    let ofFile = ExclusiveOptions.counting(standing.ofFile, without: weakest)
    take(standing.ofFile, of: .file, without: weakest, &errors)
    take(standing.ofVariable, of: .variable, without: weaker, &errors)
    begin(.commandLine)
    for finding in scan.findings {
      switch finding {
      case .option(let spec, let spelling, let argument):
        shown.append(GivenOption(spec, argument: argument))
        let value = OptionArgument(spelling: spelling, bytes: argument ?? [], isGiven: argument != nil)
        invocation.standing.remove(spec.id)
        var command: Command?
        do throws(DownloadError) { command = try apply(spec, value) } catch { errors.append(error) }
        guard let command else { continue }
        if errors.isEmpty { return command }
        throw UsageErrors(errors)
      case .refused(let error): errors.append(error)
      }
    }
    invocation.urls = scan.operands
    invocation.configuration = standing.place
    if invocation.report != nil { invocation.options = shown }
    if errors.isEmpty, let format = manifestOptions.format {
      return .writeManifest(try manifestOptions.order(invocation, format: format))
    }
    // What an option that is not understood takes away or leaves behind says nothing about the whole.
    if errors.isEmpty {
      let file = standing.place.map { NamedFiles.shown($0.path) }
      let sources = [(ofLine, nil), (ofVariable, StandingOptions.variable), (ofFile, file ?? "the configuration")]
      errors =
        sources.flatMap { ExclusiveOptions.errors($0, source: $1) } + errorsOfTheWhole.map(invocation.standing.located)
    }
    if errors.isEmpty {
      switch invocation.work {
      case .download: return .run(invocation)
      case .check: return .check(invocation)
      case .plan: return .plan(invocation)
      case .ask: return .ask(invocation)
      }
    }
    throw UsageErrors(errors)
  }

  /// What named the netrc file of the run.
  private var netrcFileLevel: Level?

  private mutating func begin(_ level: Level) {
    self.level = level
    isOfHost = false
    connectionLimits = ConnectionLimits()
    inheritedHeaderCount = invocation.settings.transport.headers.count
  }

  private mutating func take(
    _ findings: [StandingFinding], of level: Level, without meaningless: Set<OptionID>,
    _ errors: inout [DownloadError]
  ) {
    begin(level)
    for finding in findings where errors.count < UsageErrors.mostOfFile {
      switch finding {
      case .hosts(let patterns):
        invocation.settings.transport.hosts.rules.append(HostRules.Rule(patterns: patterns))
        isOfHost = true
      case .refused(let error): errors.append(error)
      case .option(let spec, let spelling, let argument):
        if meaningless.contains(spec.id) { continue }
        invocation.standing.add(spec.id, spelling: spelling, isOfHost: isOfHost)
        let value = OptionArgument(spelling: spelling, bytes: argument ?? [], isGiven: argument != nil)
        // None of these is a command of its own.
        do throws(DownloadError) { _ = try apply(spec, value) } catch { errors.append(error) }
      }
    }
  }

  private mutating func add(header line: String) {
    if isOfHost { return invocation.settings.transport.hosts.changeLast { $0.headers.append(line) } }
    if inheritedHeaderCount > 0 {
      let inherited = Array(invocation.settings.transport.headers.prefix(inheritedHeaderCount)).without([line])
      invocation.settings.transport.headers.replaceSubrange(..<inheritedHeaderCount, with: inherited)
      inheritedHeaderCount = inherited.count
    }
    invocation.settings.transport.headers.append(line)
    if level != .file { invocation.settings.transport.hosts.overrideHeader(line) }
  }

  private mutating func set(user: String) {
    if isOfHost { return invocation.settings.transport.hosts.changeLast { $0.user = user } }
    invocation.settings.secrets.user = user
    if level != .file { invocation.settings.transport.hosts.overrideUser() }
  }

  /// - Parameter netrc: nil for no file.
  private mutating func set(netrc: NetrcPlace?) {
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

  private mutating func set(limitRate: RateTimetable?) {
    if isOfHost { return invocation.settings.transport.hosts.changeLast { $0.limitRate = limitRate } }
    invocation.settings.limits.limitRate = limitRate
  }

  private mutating func set(maxConnectionsPerHost count: Int) {
    if isOfHost { return invocation.settings.transport.hosts.changeLast { $0.maxConnections = count } }
    invocation.settings.limits.maxConnectionsPerHost = count
    if level != .file { invocation.settings.transport.hosts.overrideConnections() }
  }

  private var errorsOfTheWhole: [DownloadError] {
    var errors: [DownloadError] = []
    func add(_ message: String, hint: String? = nil) { errors.append(DownloadError(.usage, message, hint: hint)) }
    if invocation.urls.contains([]) { add("a URL is empty") }
    if invocation.urls.isEmpty, invocation.inputs.isEmpty {
      let hint =
        invocation.mirrors.isEmpty
        ? "use 'swiftget URL...' or 'swiftget -i LIST'; see 'swiftget -h'"
        : "--mirror needs the URL of the file, too; \(ForeignHint.noLinks)"
      add(invocation.work == .check ? "nothing to check" : "nothing to download", hint: hint)
      return errors
    }
    var urlCount = 0
    for url in invocation.urls {
      do { urlCount += try invocation.glob(url).count } catch {
        add(
          "\(Diagnostic.escaped(Redaction.url(url))): \(RequestMessages.reason(error))", hint: RequestMessages.globHint)
      }
    }
    if let singleFileOption, urlCount > 1 || invocation.urls.isEmpty || !invocation.inputs.isEmpty {
      add(
        "'\(singleFileOption)' needs exactly one URL",
        hint: "for several files with their own names and checksums, use a list: swiftget -i LIST")
    }
    if let manifestOption, invocation.inputs.isEmpty {
      add("'\(manifestOption)' needs a list", hint: "give the list with -i LIST")
    }
    errors += ColumnOptions.errors(invocation)
    errors += NamingOptions.errors(invocation)
    errors += LockOptions.errors(invocation)
    errors += RecordOptions.errors(invocation)
    errors += UnattendedOptions.errors(invocation)
    errors += SetPublication.errors(invocation)
    errors += invocation.log.errors(isStanding: invocation.standing.has(.logFormat))
    errors += invocation.signatures.errors(
      listCount: invocation.inputs.count, usesNetwork: invocation.work.usesNetwork)
    errors += manifestOptions.errors(invocation)
    let hosts = invocation.settings.transport.hosts.rules.map(\.settings)
    let users = [invocation.settings.secrets.user] + hosts.map(\.user)
    if users.contains(where: { $0?.contains(":") == false }), !invocation.settings.secrets.usesNetrc,
      hosts.allSatisfy({ $0.netrc == nil })
    {
      add("--user: the password is missing", hint: "use USER:PASSWORD, or --netrc if a netrc file has the password")
    }
    if invocation.inputs.filter({ $0 == Array("-".utf8) }).count > 1 {
      add("only one list can be read from standard input")
    }
    if let option = invocation.work.option, !invocation.work.usesNetwork,
      let url = invocation.inputs.first(where: TargetName.isURL)
    {
      add(
        "\(option) reads no list from a URL: \(Diagnostic.escaped(Redaction.url(url)))",
        hint: "download the list first; \(option) uses no network")
    }
    return errors
  }

  /// - Returns: a command that ends parsing, such as `--help`.
  private mutating func apply(_ spec: OptionSpec, _ value: OptionArgument) throws(DownloadError) -> Command? {
    switch spec.id {
    case .inputFile: invocation.inputs.append(try value.nonEmpty())
    case .baseURL:
      invocation.baseURL = try value.nonEmpty()
      manifestOption = manifestOption ?? value.spelling
    case .inputFormat:
      invocation.inputFormat = try value.choice(of: spec)
      manifestOption = manifestOption ?? value.spelling
    case .metalinkLanguage: invocation.metalink.languages = try value.words()
    case .metalinkOS: invocation.metalink.systems = try value.words()
    case .metalinkLocation:
      invocation.metalink.locations = try value.words()
      invocation.settings.file.countries = invocation.metalink.locations.map { $0.lowercased() }
    case .verifySignature:
      invocation.signatures.keys.append(try value.path())
      manifestOption = manifestOption ?? value.spelling
    case .signature: invocation.signatures.signature = try value.nonEmpty()
    case .columns:
      invocation.columns.choice = try value.columns()
      manifestOption = manifestOption ?? value.spelling
    case .urlTemplate:
      invocation.columns.template = try value.urlTemplate()
      manifestOption = manifestOption ?? value.spelling
    case .urlScheme:
      invocation.columns.scheme = try value.choice(of: spec)
      manifestOption = manifestOption ?? value.spelling
    case .dir: invocation.directory = try value.path()
    case .output:
      let path = try value.path()
      invocation.output = DescriptorPath.descriptor(of: path) == 1 ? [UInt8(ascii: "-")] : path
      singleFileOption = singleFileOption ?? value.spelling
    case .checksum:
      let digest = try value.digest()
      do { try invocation.checksums.add(digest) } catch {
        throw DownloadError(error, of: value.spelling)
      }
      singleFileOption = singleFileOption ?? value.spelling
    case .mirror:
      invocation.mirrors.append(try value.nonEmpty())
      singleFileOption = singleFileOption ?? value.spelling
    case .include:
      invocation.filter.included.append(try value.nonEmpty())
      manifestOption = manifestOption ?? value.spelling
    case .exclude:
      invocation.filter.excluded.append(try value.nonEmpty())
      manifestOption = manifestOption ?? value.spelling
    case .keepGoing: invocation.keepsGoing = true
    case .shard: invocation.shard = try value.shard(environment)
    case .stripComponents:
      invocation.strippedComponentCount = try value.count(in: 0...1000)
    case .glob: invocation.expandsGlobs = true
    case .nameFrom:
      let choice = try value.choice(of: spec)
      invocation.settings.target.nameSource = TargetSettings.NameSource(rawValue: choice) ?? .url
    case .contentDisposition: invocation.settings.target.nameSource = .answer
    case .forceDirectories: invocation.naming.makesDirectories = true
    case .noHostDirectories: invocation.naming.makesHostDirectory = false
    case .outputTemplate: invocation.naming.template = try value.outputTemplate()
    case .cutDirs: invocation.naming.cutDirectoryCount = try value.count(in: 0...1000)
    case .jobs: invocation.settings.limits.jobs = try value.automaticCount(in: 1...1000)
    case .connections:
      invocation.settings.file.maxConnections = try connectionLimits.take(value) ?? FileSettings.usualConnections
    case .minSplitSize: invocation.settings.file.minSplitSize = max(64 << 10, try value.size())
    case .maxConnectionsPerHost: set(maxConnectionsPerHost: try value.count(in: 1...1000))
    case .limitRate: set(limitRate: try value.timetable())
    case .limitRatePerFile: invocation.settings.limits.limitRatePerFile = try value.timetable()
    case .tries: invocation.settings.file.tries = try value.tries()
    case .retryWait: invocation.settings.file.retryWait = try value.duration(in: .zero...Self.day)
    case .timeout: invocation.settings.transport.stallTimeout = try value.duration(in: .milliseconds(100)...Self.day)
    case .connectTimeout:
      invocation.settings.transport.connectTimeout = try value.duration(in: .milliseconds(100)...Self.day)
    case .maxTime:
      let time = try value.duration(in: .zero...Self.day * 365)
      invocation.settings.limits.maxTime = time == .zero ? nil : time
    case .maxFilesize: invocation.settings.file.maxFilesize = Self.limit(try value.size())
    case .maxRedirect: invocation.settings.file.maxRedirects = try value.count(in: 0...1000)
    case .maxFailures: invocation.settings.limits.maxFailures = try value.failureLimit()
    case .ifExists:
      let choice = try value.choice(of: spec)
      invocation.settings.target.ifExists = TargetSettings.IfExists(rawValue: choice) ?? .ask
    case .timestamping: invocation.settings.target.timestamping = true
    case .noResume: invocation.settings.target.resumes = false
    case .resume: invocation.settings.target.resumes = true
    case .trustLength: invocation.settings.file.trustsLength = true
    case .allowAbsolute: invocation.allowsAbsolute = true
    case .allowUnconfirmed: invocation.settings.file.allowsUnconfirmed = true
    case .acceptHTML: invocation.settings.file.acceptsHTML = true
    case .compressed: invocation.settings.target.refusesCodings = true
    case .atomic: invocation.isAtomic = true
    case .prune: invocation.prunes = true
    case .noSync: invocation.settings.target.syncs = false
    case .noRemoteTime: invocation.settings.target.keepsRemoteTime = false
    case .lock:
      invocation.lock = try value.recordPath()
      invocation.settings.target.recordedAlgorithms = [LockEntry.algorithm]
    case .frozen: invocation.frozen = try value.path()
    case .failed: invocation.failed = try value.recordPath()
    case .header: add(header: try value.header())
    case .user: set(user: try value.credentials())
    case .netrc: set(netrc: .usual)
    case .netrcFile: set(netrc: .named(try value.text()))
    case .noNetrc: set(netrc: nil)
    case .userAgent: invocation.settings.transport.userAgent = try value.fieldValue()
    case .referer: invocation.settings.transport.referer = try value.referer()
    case .loadCookies: invocation.loadedCookies = try value.path()
    case .saveCookies: invocation.savedCookies = try value.jarPath()
    case .cacert: invocation.settings.transport.caFile = try value.text()
    case .capath: invocation.settings.transport.caPath = try value.text()
    case .cert:
      (invocation.settings.transport.clientCertificate, invocation.settings.secrets.clientKeyPassword) =
        try value.certificate()
    case .key: invocation.settings.transport.clientKey = try value.text()
    case .insecure: invocation.settings.transport.verifiesTLS = false
    case .proxy: invocation.settings.transport.proxy = try value.proxy()
    case .proxyCacert: invocation.settings.transport.proxyCAFile = try value.text()
    case .proxyInsecure: invocation.settings.transport.verifiesProxyTLS = false
    case .noProxy: invocation.settings.transport.noProxy = value.isGiven ? try value.fieldValue() : "*"
    case .http1: invocation.settings.transport.httpVersion = .http1
    case .http2: invocation.settings.transport.httpVersion = .http2
    case .ipv4: invocation.settings.transport.addressFamily = .ipv4
    case .ipv6: invocation.settings.transport.addressFamily = .ipv6
    case .resolve: invocation.settings.transport.resolve.append(try value.resolveEntry())
    case .changedExit: invocation.unattended.changedExit = try value.changedExit()
    case .deadline: invocation.unattended.deadline = try value.deadline()
    case .splay: invocation.unattended.splay = try value.runDuration()
    case .lockWait: invocation.settings.limits.lockWait = try value.runDuration()
    case .verifyCommand: invocation.settings.target.verifyCommand = VerifyCommand(try value.command())
    case .notify: invocation.unattended.notifies = true
    case .onComplete:
      invocation.unattended.hooks[.complete] = try value.command()
      // It tells what the command has done to the file.
      invocation.settings.target.recordedAlgorithms = [LockEntry.algorithm]
    case .onFailure: invocation.unattended.hooks[.failure] = try value.command()
    case .onExit: invocation.unattended.hooks[.exit] = try value.command()
    case .hookTimeout:
      let time = try value.runDuration()
      invocation.unattended.hookTimeout = time == .zero ? nil : time
    case .check: try choose(.check)
    case .dryRun: try choose(.plan)
    case .spider: try choose(.ask)
    case .strict: invocation.isStrict = true
    case .writeManifest: try manifestOptions.take(format: value, spec)
    case .inPlace: manifestOptions.isInPlace = true
    case .algorithm: try manifestOptions.take(algorithms: value)
    case .quiet:
      invocation.isQuiet = true
      invocation.verbosity = 0
    case .verbose:
      invocation.isQuiet = false
      invocation.verbosity += 1
    case .progress: invocation.progress = try value.progressStyle(of: spec)
    case .log: invocation.log.path = try value.logPath()
    case .logFormat: invocation.log.format = LogOptions.Format(rawValue: try value.choice(of: spec))
    case .report: invocation.report = try value.recordPath()
    // Read before the command line is understood.
    case .config, .noConfig: break
    case .help: return value.spelling == "-h" ? .showShortHelp : .showHelp
    case .version: return .showVersion
    case .generate: return Generator.Kind(rawValue: try value.choice(of: spec)).map(Command.generate)
    }
    return nil
  }

  private mutating func choose(_ work: Invocation.Work) throws(DownloadError) {
    if let option = invocation.work.option, let other = work.option, option != other {
      throw DownloadError(.usage, "\(option) and \(other) cannot be done together")
    }
    invocation.work = work
  }

  /// 0 means no limit, as in curl, wget and aria2.
  private static func limit(_ byteCount: Int64) -> Int64? { byteCount == 0 ? nil : byteCount }
}

extension Command {
  /// - Parameter arguments: raw bytes, without the program's name.
  /// - Throws: all usage errors, with hints. They never show credentials.
  package init(
    arguments: [[UInt8]], environment: Environment = Environment(), standing: StandingOptions = StandingOptions()
  ) throws(UsageErrors) {
    var parser = InvocationParser(environment, standing)
    self = try parser.parse(arguments)
  }
}
