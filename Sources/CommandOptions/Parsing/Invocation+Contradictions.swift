internal import DownloadCore
internal import DownloadWords

/// What is wrong with an invocation as a whole, as far as the values of options decide it. `GivenOptions` decides what their
/// presence does.
extension Invocation {
  var isEmpty: Bool { lists.urls.isEmpty && lists.inputs.isEmpty }

  /// Whether it may be empty: a session has tasks.
  var needsFiles: Bool { work != .queue && work != .serve }

  var nothingToDo: Failure {
    if work == .check {
      return Failure(
        .usage, "nothing to check", hint: "use 'swiftget check -i LIST'; see 'swiftget check --help'")
    }
    let hint =
      lists.mirrors.isEmpty
      ? "use 'swiftget URL...' or 'swiftget -i LIST'; see 'swiftget -h'"
      : "--mirror needs the URL of the file, too; \(ForeignHint.noLinks)"
    return Failure(.usage, "nothing to download", hint: hint)
  }

  var contradictions: [Failure] {
    var errors: [Failure] = []
    func add(_ message: String, hint: String? = nil, about options: OptionID...) {
      errors.append(Failure(.usage, message, hint: hint, about: options.map(\.name)))
    }
    if lists.urls.contains([]) { add("a URL is empty") }
    if work == .serve, let word = lists.urls.first {
      add(
        "serve takes no URL: \(Diagnostic.escaped(Redaction.url(word)))",
        hint: "add files with 'swiftget -S NAME URL...'")
    }
    if let word = lists.urls.first, let verb = VerbSpec.nearest(to: word) {
      add("'\(Diagnostic.escaped(word))' is neither a URL nor a verb", hint: "did you mean 'swiftget \(verb)'?")
    }
    errors += lists.urls.compactMap { word in MistakenOperand(word)?.error(of: word) }
    for url in lists.urls {
      do { _ = try lists.glob(url) } catch {
        let shown = Diagnostic.escaped(Redaction.url(url))
        add(
          "\(shown): \(RequestMessages.reason(error))",
          hint: "put a backslash before braces and brackets that are part of the URL, or leave out --glob")
      }
    }
    if lists.inputs.count(where: { $0 == Array("-".utf8) }) > 1 { add("only one list can be read from standard input") }
    if let option = work.option, !work.usesNetwork {
      func refuse(_ url: [UInt8], _ what: String) {
        add(
          "\(option.name) reads no \(what) from a URL: \(Diagnostic.escaped(Redaction.url(url)))",
          hint: "download the \(what) first; \(option.name) uses no network")
      }
      if let url = lists.inputs.first(where: TargetName.isURL) { refuse(url, "list") }
      if let url = lists.signatures.signature, TargetName.isURL(url) { refuse(url, "signature") }
    }
    if let problem = lists.columns.problem(inputFormat: lists.inputFormat) { add(problem.message, hint: problem.hint) }
    if naming.writesToStandardOutput {
      if work == .queue { add("--session: standard output is no file that a session could keep") }
      if work == .check { add("--check: standard output is no file that could be checked") }
      if records.lock != nil {
        add(
          "--lock: standard output is no file that could be listed",
          hint: "write to a file with -o, or leave out --lock")
      }
      if settings.target.verifyCommand != nil {
        add(
          "--verify-command judges a file before others see it, and standard output is none",
          hint: "write to a file with -o", about: .verifyCommand)
      }
    } else if records.lock != nil, let output = naming.output, (try? TargetName.checked(output)) == nil {
      add(
        "--lock cannot list the name \(NamedFiles.shown(output))",
        hint: "a list has names below the target directory; name that with -d and the file with -o")
    }
    if records.failed != nil, naming.template?.placeholders.contains(.number) ?? false {
      add(
        "--failed: the number {n} of --output-template would be another one in the next run",
        hint: "name files by other fields, such as {name}", about: .outputTemplate)
    }
    if records.failed != nil, naming.template?.columns.isEmpty == false {
      add(
        "--failed: a list of what failed has no columns for --output-template",
        hint: "name files by other fields, such as {name}, or by out= of --columns", about: .outputTemplate)
    }
    let hosts = settings.transport.hosts.rules.map(\.settings)
    let users = [settings.secrets.user] + hosts.map(\.user)
    if users.contains(where: { $0?.contains(":") == false }), !settings.secrets.usesNetrc,
      hosts.allSatisfy({ $0.netrc == nil })
    {
      add(
        "--user: the password is missing", hint: "use USER:PASSWORD, or --netrc if a netrc file has the password",
        about: .user)
    }
    return errors
  }
}
