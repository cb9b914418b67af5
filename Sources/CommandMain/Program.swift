internal import CommandManual
internal import CommandOptions
internal import DownloadCore
internal import DownloadEvents
internal import DownloadLists
internal import DownloadTransport
internal import DownloadWords
internal import Glibc

/// The program from its arguments to its exit status.
package enum Program {
  /// Executes the command line of the process.
  package static func run() -> RunResult {
    let standardError = Output.standardError()
    do throws(Failure) {
      try ProcessSetup.prepare()
      var arguments = Command.processArguments
      var addsOnly = false
      if let words = Command.controlArguments {
        guard let ofAdd = SessionChoice.commandLine(ofAdd: words) else { return ControlPlace.run(words, standardError) }
        (arguments, addsOnly) = (ofAdd, true)
      }
      let command: Command
      let line = CommandLineScanner(arguments)
      let inputs = DecidingInputs()
      let environment = inputs.noting
      var standing = try StandingOptions.read(line, environment, notedIn: inputs)
      if !addsOnly, let file = standing.session(of: line).flatMap({ SessionChoice($0).optionsFile }) {
        try standing.readSession(file, notedIn: inputs)
      }
      do throws(UsageErrors) {
        command = try Command(line, environment, standing)
      } catch {
        standardError.write(error.text)
        return RunResult(.usage)
      }
      if let warning = standing.warning, !command.isQuiet { standardError.write(warning.text) }
      let standardOutput = Output.standardOutput()
      if command.needsStandardOutput, !standardOutput.isWritable {
        throw Failure(.localIO, RunContext.reason(EBADF))
      }
      func context(_ log: RunLog?) -> RunContext {
        RunContext(
          inputs: inputs, standardOutput: standardOutput, messages: Messages(standardError: standardError, log: log))
      }
      switch command {
      case .run(let invocation):
        // Errors say where the options stand that they name.
        return try invocation.standing.locating { () throws(Failure) in
          try RecordOptions.check(invocation)
          return try logged(in: invocation.records.log, readsLists: true, standardError) { (log) throws(Failure) in
            var verb = verb(of: invocation, context(log), addsOnly: addsOnly)
            return try invocation.standing.locating { () throws(Failure) in try verb.run() }
          }
        }
      case .writeManifest(let order):
        return try logged(in: order.log, standardError) { (log) throws(Failure) in
          try WriteManifest(order, context(log)).run()
        }
      case .showShortHelp: standardOutput.write(Generator.shortHelp)
      case .showHelp(let verb): standardOutput.write(Generator.help(for: verb))
      case .showOption(let option): standardOutput.write(Generator.help(on: option))
      case .showVersion: standardOutput.write("swiftget \(Generator.version) (\(CurlGlobal.version))\n")
      case .generate(let kind): standardOutput.write(Generator.text(kind))
      }
      // Who reads the beginning of a text only, as by head, has what is wanted.
      if standardOutput.failed == EPIPE { return RunResult(.success) }
      return RunResult(context(nil).hasWrittenOutput() ? .success : .localIO)
    } catch {
      standardError.write(Diagnostic(error).text)
      return RunResult(ExitStatus(error))
    }
  }

  private static func verb(of invocation: Invocation, _ context: RunContext, addsOnly: Bool) -> any Verb {
    switch invocation.work {
    case .queue where addsOnly: AddFiles(invocation, context)
    case .download, .ask: Download(invocation, context)
    case .queue: SessionDownload(invocation, context)
    case .serve: Serve(invocation: invocation, context: context)
    case .check: Check(invocation: invocation, context: context)
    case .plan: DryRun(invocation: invocation, context: context)
    case .writeManifest: preconditionFailure("a manifest has an order of its own")
    }
  }

  /// Does `body` with the log of `--log`, if there is one, and tells the log how it ends.
  ///
  /// - Parameter readsLists: whether `body` opens the log when it knows the targets, of which it must be none.
  private static func logged(
    in options: LogOptions, readsLists: Bool = false, _ standardError: Output,
    _ body: (RunLog?) throws(Failure) -> RunResult
  ) throws(Failure) -> RunResult {
    let log = try options.path.map { (path) throws(Failure) in
      try RunLog(path: path, format: options.writtenFormat, opensLater: readsLists)
    }
    log?.failed = { standardError.write($0.text) }
    do throws(Failure) {
      let end = try body(log)
      log?.end(end.status)
      return end
    } catch {
      log?.add(Diagnostic(error).text)
      log?.end(ExitStatus(error))
      throw error
    }
  }
}
