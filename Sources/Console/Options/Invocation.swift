import CShims
package import DownloadCore
import Glibc

/// What the command line asks for.
package enum Command: Sendable, Equatable {
  case run(Invocation)
  case showShortHelp
  case showHelp
  case showVersion
  case generate(Generator.Kind)

  /// - Parameter arguments: raw bytes, without the program's name.
  /// - Throws: a usage error with its hint; it never shows a credential.
  package init(arguments: [[UInt8]]) throws(DownloadError) {
    var parser = InvocationParser()
    self = try parser.parse(arguments)
  }

  /// Whether it would be for nothing where nothing can be written to standard output. A download that only tells of
  /// itself there is worth having, though the run then fails.
  package var needsStandardOutput: Bool {
    switch self {
    case .run(let invocation): invocation.writesToStandardOutput
    case .showShortHelp, .showHelp, .showVersion, .generate: true
    }
  }

  /// The process's own arguments, unrepaired: names need not be UTF-8.
  package static var processArguments: [[UInt8]] {
    guard let words = swiftget_arguments() else { return [] }
    return (1..<max(1, Int(swiftget_argument_count()))).compactMap { index in
      words[index].map { word in
        UnsafeBufferPointer(start: word, count: strlen(word)).map { UInt8(bitPattern: $0) }
      }
    }
  }
}

/// A run as the command line describes it; lists are not yet read, URLs not yet parsed.
package struct Invocation: Sendable, Equatable {
  package var settings = DownloadSettings()
  package var urls: [[UInt8]] = []
  /// Manifests: paths, URLs or `-`.
  package var inputs: [[UInt8]] = []
  /// `urls`, `aria2` or `checksums`; nil means by content.
  package var inputFormat: String?
  package var baseURL: [UInt8]?
  package var directory: [UInt8]?
  /// Path of the one file, `-` for standard output; only with exactly one URL.
  package var output: [UInt8]?
  /// Only with exactly one URL, as `mirrors`.
  package var checksums: [ContentDigest] = []
  package var mirrors: [[UInt8]] = []
  package var progress: ProgressStyle = .auto
  package var isQuiet = false
  /// 0, or more with every `-v`.
  package var verbosity = 0

  package init() {}

  /// Whether the bytes of the file go to standard output, so that nothing else may.
  package var writesToStandardOutput: Bool {
    output.map { $0 == Array("-".utf8) || $0 == Array("/dev/stdout".utf8) } ?? false
  }
}
