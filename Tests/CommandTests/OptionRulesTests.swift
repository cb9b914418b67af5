import DownloadCore
import TestSupport
import Testing

@testable import CommandControl
@testable import CommandOptions
@testable import DownloadLists
@testable import DownloadWords

/// What the rows of the table say about kinds of runs, and about taking options back.
@Suite struct `Rules of options` {
  private static let url = "https://example.org/a.iso"
  /// They make a command of their own, or are read before the command line is understood.
  private static let others: Set<OptionID> = [.help, .version, .generate, .config, .noConfig]

  private static func findings(_ text: [UInt8]) -> [OptionFinding] {
    ConfigurationParser.findings(
      ConfigurationFile(
        place: ConfigurationPlace(path: Array("config".utf8), isNamed: false), text: text, isExposed: false))
  }

  private static func command(_ words: [String], file: String = "") throws(UsageErrors) -> Command {
    let standing = StandingOptions(ofFile: findings(Array(file.utf8)), ofVariable: [], warning: nil)
    return try Command(arguments: words.map { Array($0.utf8) }, standing: standing)
  }

  /// The command without what only tells where its options stand.
  private static func parsed(_ words: [String], file: String = "") throws(UsageErrors) -> Command {
    switch try command(words, file: file) {
    case .run(var invocation):
      invocation.standing = StandingPlaces()
      return .run(invocation)
    case let other: return other
    }
  }

  private static func messages(_ words: [String], file: String = "") -> [String] {
    do {
      _ = try command(words, file: file)
      return []
    } catch { return error.errors.map(\.message) }
  }

  /// The option as its example gives it.
  private static func words(_ spec: OptionSpec) throws -> [String] {
    let example = spec.example.replacing("\\\n", with: " ").replacing("HEX", with: String(repeating: "ab", count: 32))
    let words = try CommandWords(text: Array(example.utf8)).words.dropFirst()
    for case .option(let found, _, let argument) in CommandLineScanner(Array(words)).findings where found.id == spec.id
    {
      return ["--\(spec.long)" + (argument.map { "=" + String(decoding: $0, as: UTF8.self) } ?? "")]
    }
    throw Failure(.other, "the example of --\(spec.long) lacks it")
  }

  /// A command line for a kind of run, with what an option needs.
  private static func base(_ work: FileWork, for spec: OptionSpec? = nil) throws -> [String] {
    if work == .writeManifest { return ["--write-manifest", "metalink", "--base-url", "https://h/", "d"] }
    var words = try work.option.map { try Self.words(OptionTable.spec($0)) } ?? []
    let needs = spec?.needs ?? []
    for case .option(let other) in needs where OptionTable.spec(other).verbs.contains(work) {
      words += try Self.words(OptionTable.spec(other))
    }
    if work == .serve { return words }
    let readsList = !Set(words.map { $0.prefix { $0 != "=" } }).isDisjoint(with: ["--verify-signature"])
    return words + (readsList || needs.contains(.list) || needs.contains(.oneList) ? ["-i", "L"] : [Self.url])
  }

  private static var specs: [OptionSpec] { OptionTable.options.filter { !others.contains($0.id) } }

  @Test(arguments: FileWork.allCases)
  func `an option is refused by name where it means nothing, and accepted elsewhere`(work: FileWork) throws {
    for spec in Self.specs where !FileWork.allCases.contains(where: { $0.option == spec.id }) {
      let told = Self.messages(try Self.words(spec) + Self.base(work, for: spec))
      let refusal = "'--\(spec.long)' has no meaning " + (work.option.map { "with \($0.name)" } ?? "for a download")
      #expect(told.contains(refusal) == !spec.verbs.contains(work), "\(spec.long): \(told)")
      if spec.verbs.contains(work), work != .writeManifest { #expect(told.isEmpty, "\(spec.long): \(told)") }
    }
  }

  @Test(arguments: FileWork.allCases)
  func `an option of the configuration that means nothing is passed over`(work: FileWork) throws {
    for spec in Self.specs where !spec.isOfOneRun {
      let line = try Self.words(spec)[0].dropFirst(2)
      let given = try Self.parsed(Self.base(work), file: "\(line)\n")
      if !spec.verbs.contains(work) { #expect(given == (try Self.parsed(Self.base(work))), "\(spec.long)") }
    }
  }

  private static func invocation(_ words: [String], file: String = "") throws -> Invocation {
    guard case .run(let invocation) = try parsed(words, file: file) else { throw Failure(.other, "not a run") }
    return invocation
  }

  @Test func `an option with a session is one of the process that works, as for a download, or of a file`() throws {
    var count = 0
    let works = FileWork.allCases.compactMap(\.option)
    for spec in Self.specs where spec.verbs.isSuperset(of: [.download, .queue]) && !works.contains(spec.id) {
      let given = try Self.words(spec)
      let worker = try #require(try Self.invocation(Self.base(.queue, for: spec) + given).worker)
      guard spec.isOfWorker else {
        #expect(worker.settings == RunSettings() && worker.names.isEmpty && worker.words.isEmpty, "\(spec.long)")
        continue
      }
      count += 1
      let alone = try Self.invocation(Self.base(.download, for: spec) + given).settings
      #expect(worker.settings == alone && worker.names.contains(spec.id.name), "\(spec.long): \(worker.names)")
      // The process in the background is given the same.
      let words = worker.words.map { String(decoding: $0, as: UTF8.self) }
      let background = try Self.invocation(Self.base(.serve) + words)
      #expect(background.worker?.settings == alone && background.settings == alone, "\(spec.long)")
      if !spec.isOfOneRun {
        let standing = try Self.invocation(Self.base(.queue), file: "\(given[0].dropFirst(2))\n")
        #expect(standing.worker?.settings == alone && standing.worker?.names == [], "\(spec.long)")
      }
    }
    #expect(count >= 30)
  }

  @Test func `the scope of an option fits its kinds of runs`() {
    for spec in Self.specs {
      switch spec.scope {
      case .session, .worker, .limits: #expect(spec.verbs.isSuperset(of: [.download, .queue, .serve]), "\(spec.long)")
      case .task: #expect(spec.verbs.contains(.queue) && !spec.verbs.contains(.serve), "\(spec.long)")
      case .input: #expect(spec.verbs.contains(.download) && !spec.verbs.contains(.serve), "\(spec.long)")
      case .command: break
      }
    }
  }

  @Test func `what ctl can set is an option of a file`() throws {
    let other: [SettingKey: OptionID] = [.rate: .limitRatePerFile, .stallTimeout: .timeout, .out: .output]
    // The URL is an operand.
    for key in SettingKey.allCases where key != .url {
      let name = key.rawValue.replacing("_", with: "-")
      let spec = try #require(Self.specs.first { spec in other[key].map { $0 == spec.id } ?? (spec.long == name) })
      #expect(spec.scope == .task, "\(name)")
    }
  }

  // MARK: What a session keeps

  /// The options of a process that works on a session which keeps `kept`.
  private static func worker(_ words: [String], keeping kept: [UInt8]) throws -> WorkerOptions {
    let standing = StandingOptions(ofFile: [], ofVariable: [], ofSession: findings(kept), warning: nil)
    let command = try Command(arguments: (["serve"] + words).map { Array($0.utf8) }, standing: standing)
    guard case .run(let invocation) = command, let worker = invocation.worker else {
      throw Failure(.other, "no worker")
    }
    return worker
  }

  /// The option as its example gives it, with an absolute path, or as it is taken back.
  private static func drawnWord(_ spec: OptionSpec, _ generator: inout SeededGenerator) throws -> String {
    if Int.random(in: 0..<3, using: &generator) == 0 {
      if let text = spec.defaultText { return "--\(spec.long)=\(text)" }
      if spec.argument == .nothing {
        return "--" + (spec.opposite.map { OptionTable.spec($0).long } ?? spec.negation)
      }
    }
    guard [.files, .directories].contains(spec.values) else { return try words(spec)[0] }
    return "--\(spec.long)=/w/" + (["a", "b c", "c\\:d"].randomElement(using: &generator) ?? "")
  }

  @Test func `the next process has what a session keeps of those before it`() throws {
    let specs = Self.specs.filter { $0.scope == .session }
    #expect(specs.count >= 25)
    // Options that contradict each other would need a rule.
    #expect(specs.allSatisfy { $0.excludes.isEmpty && !$0.isOfOneRun })
    for seed in 0..<300 {
      var generator = SeededGenerator(seed: UInt64(seed))
      var kept: [UInt8] = []
      for _ in 0..<5 {
        let words = try (0..<Int.random(in: 0...4, using: &generator)).compactMap { _ in
          try specs.randomElement(using: &generator).map { try Self.drawnWord($0, &generator) }
        }
        let worker = try Self.worker(words, keeping: kept)
        kept = worker.kept ?? kept
        #expect(words.isEmpty ? worker.kept == nil : true, "\(words)")
        let next = try Self.worker([], keeping: kept)
        #expect(next.settings == worker.settings && next.kept == nil && next.names.isEmpty, "seed \(seed): \(words)")
        // What is the same changes nothing.
        let again = try Self.worker(words, keeping: kept)
        #expect(again.settings == worker.settings && again.kept == nil && again.names.isEmpty, "seed \(seed): \(words)")
      }
    }
  }

  @Test func `a session keeps no password, no pipe, and nothing that a line cannot have`() throws {
    func kept(_ words: String...) throws -> String {
      String(decoding: try Self.worker(words, keeping: []).kept ?? [], as: UTF8.self)
    }
    #expect(try kept("--cert=/w/c:secret").hasSuffix("\ncert = /w/c\n"))
    #expect(try kept("--cert=/w/c\\:d:secret").hasSuffix("\ncert = /w/c\\:d\n"))
    #expect(try kept("--netrc-file=/dev/null").isEmpty && kept("--netrc-file=/w").hasSuffix("netrc-file = /w\n"))
    for hook in ["--on-complete=x", "--on-exit=x", "--log=l", "--jobs=3"] { #expect(try kept(hook).isEmpty) }
    // The same words may mean something else than before.
    let off = try Self.worker(["--no-netrc"], keeping: Array("netrc-file = /w/a\n".utf8)).kept ?? []
    #expect(try Self.worker(["--netrc-file=/w/a"], keeping: off).names == ["--netrc-file"])
    #expect(try Self.worker(["--no-netrc"], keeping: off).names.isEmpty)
    for path in ["/w\n", "/w\u{7f}", "/w "] {
      #expect(throws: UsageErrors.self) { try kept("--cacert=\(path)") }
    }
  }

  @Test func `sections for hosts hold for the process that works on a session`() throws {
    let file = """
      [host h]
      header = X: 1
      user = u:p
      netrc-file = n
      limit-rate = 3M
      limit-requests = 3/s
      max-connections-per-host = 2

      """
    let alone = try Self.invocation([Self.url], file: file).settings.transport.hosts
    #expect(!alone.isEmpty)
    for work in [FileWork.queue, .serve] {
      #expect(try Self.invocation(Self.base(work), file: file).worker?.settings.transport.hosts == alone)
      #expect(!Self.messages(try Self.base(work), file: "[host h]\nuser = \u{7f}\n").isEmpty, "\(work)")
    }
  }

  @Test func `a flag that is given and taken back changes nothing`() throws {
    let plain = try Self.parsed([Self.url])
    var count = 0
    for spec in Self.specs where spec.argument == .nothing && spec.id != .verbose {
      // Of opposites one is the default.
      if spec.opposite != nil, try Self.parsed(["--\(spec.long)", Self.url]) == plain { continue }
      let undo = spec.opposite.map { OptionTable.spec($0).long } ?? spec.negation
      #expect(try Self.parsed(["--\(spec.long)", "--\(undo)", Self.url]) == plain, "\(spec.long)")
      count += 1
      guard !spec.isOfOneRun else { continue }
      #expect(try Self.parsed(["--\(undo)", Self.url], file: spec.long) == plain, "\(spec.long)")
      #expect(try Self.parsed([Self.url], file: "\(spec.long)\n\(undo) = true") == plain, "\(spec.long)")
      if spec.effect.takeBack != nil {
        #expect(try Self.parsed([Self.url], file: "\(spec.long)\n\(spec.long) = false") == plain, "\(spec.long)")
      }
    }
    #expect(count >= 30)
    #expect(try Self.parsed([Self.url], file: "verbose\nverbose = false") == plain)
  }

  @Test func `an option with an argument is taken back by its default`() throws {
    let plain = try Self.parsed([Self.url])
    for spec in Self.specs {
      guard let text = spec.defaultText, spec.id != .dir else { continue }
      let given = try Self.words(spec)
      #expect(try Self.parsed(given + ["--\(spec.long)=\(text)", Self.url]) == plain, "\(spec.long)")
      guard !spec.isOfOneRun else { continue }
      #expect(
        try Self.parsed(["--\(spec.long)=\(text)", Self.url], file: String(given[0].dropFirst(2))) == plain,
        "\(spec.long)")
    }
  }

  @Test func `what is taken back contradicts nothing, and takes back nothing else`() throws {
    #expect(Self.messages(["--check", "--atomic", "--no-atomic", Self.url]).isEmpty)
    #expect(Self.messages(["--spider", "-nc", Self.url]) == ["'-nc' (--if-exists) has no meaning with --spider"])
    #expect(Self.messages(["--check", "--no-check", "--spider", Self.url]).isEmpty)
    #expect(Self.messages(["--output-template={n}", "--output-template=", "-o", "x", Self.url]).isEmpty)
    #expect(try Self.parsed(["-6", "--no-ipv4", Self.url]) == Self.parsed(["-6", Self.url]))
    #expect(try Self.parsed(["-vq", "--no-quiet", Self.url]) == Self.parsed([Self.url]))
    let hosts = "header = A: 1\nuser = a:b\n[host h]\nheader = B: 1\nuser = c:d\n"
    guard case .run(let found) = try Self.command(["-H", "", "-u", "", "-H", "C: 1", Self.url], file: hosts) else {
      return
    }
    let host = found.settings.transport.hosts.settings(for: "h")
    #expect(found.settings.transport.headers == ["C: 1"] && found.settings.secrets.user == nil)
    #expect(host.headers.isEmpty && host.user == nil)
  }

  @Test func `names that take back are whole words, and those of other tools keep their meaning`() throws {
    #expect(try Self.parsed(["--glob", "--no-glob", "https://h/[1-2]"]) == Self.parsed(["https://h/[1-2]"]))
    #expect(try Self.parsed(["--no-verbose", Self.url]) == Self.parsed(["--progress=lines", Self.url]))
    #expect(try Self.parsed(["--no-sy", Self.url]) == Self.parsed(["--no-sync", Self.url]))
    #expect(Self.messages(["--no-glob=x", Self.url]) == ["option '--no-glob' takes no argument"])
    #expect(Self.messages(["--no-atomic=x", Self.url]) == ["option '--no-atomic' takes no argument"])
    #expect(
      Self.messages(["--no-help", Self.url]).count == 1 && Self.messages(["--remote-time=true", Self.url]).isEmpty)
    #expect(Self.messages(["--verify-command=", Self.url]) == ["--verify-command: the command is empty"])
    #expect(
      Self.messages([Self.url], file: "no-check") == ["config:1: 'no-check' cannot stand in a configuration file"])
  }
}
