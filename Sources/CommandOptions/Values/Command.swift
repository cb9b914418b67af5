internal import CSwiftGetShims
internal import Glibc

/// What `--help` and `help` are asked about.
package enum HelpSubject: Sendable, Equatable {
  /// All options.
  case options
  /// The options of a verb.
  case verb(VerbSpec)
  /// What lists may look like.
  case lists

  /// The word for `lists`.
  static let listsWord = Array("lists".utf8)
}

/// What the command line asks for.
package enum Command: Sendable, Equatable {
  /// A download, or what else is done with the files of the invocation.
  case run(Invocation)
  case writeManifest(ManifestOrder)
  case showShortHelp
  case showHelp(HelpSubject)
  /// All about one option.
  case showOption(OptionID)
  case showVersion
  case generate(GeneratedText)

  /// Whether the command is useless without standard output. A download that only reports progress there is done
  /// anyway, although the run then fails.
  package var needsStandardOutput: Bool {
    switch self {
    case .run(let invocation): invocation.work != .download || invocation.naming.writesToStandardOutput
    case .writeManifest(let order): order.output == nil && order.format != .bagit
    case .showShortHelp, .showHelp, .showOption, .showVersion, .generate: true
    }
  }

  /// Whether only failures are told.
  package var isQuiet: Bool {
    switch self {
    case .run(let invocation): invocation.display.isQuiet
    case .writeManifest(let order): order.isQuiet
    case .showShortHelp, .showHelp, .showOption, .showVersion, .generate: false
    }
  }

  /// The arguments after `ctl`, which has a grammar of its own; nil for any other command line.
  package static var controlArguments: [[UInt8]]? {
    let arguments = processArguments
    if arguments.starts(with: [Array("help".utf8), Array("ctl".utf8)]) {
      return Array(arguments.dropFirst(2)) + [Array("--help".utf8)]
    }
    return arguments.first?.elementsEqual("ctl".utf8) == true ? Array(arguments.dropFirst()) : nil
  }

  /// The arguments of the process as raw bytes, which need not be UTF-8.
  package static var processArguments: [[UInt8]] {
    guard let words = swiftget_arguments() else { return [] }
    return (1..<max(1, Int(swiftget_argument_count()))).compactMap { index in
      words[index].map { word in
        UnsafeBufferPointer(start: word, count: strlen(word)).map { UInt8(bitPattern: $0) }
      }
    }
  }
}
