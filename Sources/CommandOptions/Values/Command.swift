internal import CSwiftGetShims
internal import Glibc

/// What the command line asks for.
package enum Command: Sendable, Equatable {
  /// A download, or what else is done with the files of the invocation.
  case run(Invocation)
  case writeManifest(ManifestOrder)
  case showShortHelp
  /// All options, or those of a verb.
  case showHelp(VerbSpec?)
  case showVersion
  case generate(GeneratedText)

  /// Whether the command is useless without standard output. A download that only reports progress there is done
  /// anyway, although the run then fails.
  package var needsStandardOutput: Bool {
    switch self {
    case .run(let invocation): invocation.work != .download || invocation.naming.writesToStandardOutput
    case .writeManifest(let order): order.output == nil && order.format != .bagit
    case .showShortHelp, .showHelp, .showVersion, .generate: true
    }
  }

  /// Whether only failures are told.
  package var isQuiet: Bool {
    switch self {
    case .run(let invocation): invocation.display.isQuiet
    case .writeManifest(let order): order.isQuiet
    case .showShortHelp, .showHelp, .showVersion, .generate: false
    }
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
