import DownloadCore
import ManifestWriting

/// The options of `--write-manifest` and `--check`, as far as they depend on each other.
struct ManifestOptions {
  private(set) var format: WrittenFormat?
  private var algorithms: [DigestAlgorithm]?
  var isInPlace = false

  mutating func take(format value: OptionArgument, _ spec: OptionSpec) throws(DownloadError) {
    format = WrittenFormat(rawValue: try value.choice(of: spec))
  }

  mutating func take(algorithms value: OptionArgument) throws(DownloadError) {
    var algorithms: [DigestAlgorithm] = []
    for word in try value.words() {
      guard let algorithm = DigestAlgorithm(name: word) else {
        throw value.refused(
          "is not a list of algorithms",
          hint: "use names separated by commas: " + DigestAlgorithm.allCases.map(\.rawValue).joined(separator: ", "))
      }
      if !algorithms.contains(algorithm) { algorithms.append(algorithm) }
    }
    self.algorithms = algorithms
  }

  private static var meaninglessInPlace: DownloadError {
    DownloadError(
      .usage, "--in-place has a meaning only with --write-manifest bagit, and without -o",
      hint: "--write-manifest bagit --in-place DIR makes a bag of a directory")
  }

  /// What contradicts `--check` or the download of an invocation.
  func errors(_ invocation: Invocation) -> [DownloadError] {
    var errors: [DownloadError] = []
    if algorithms != nil {
      errors.append(
        DownloadError(
          .usage, "--algorithm has a meaning only with --write-manifest",
          hint: "--checksum ALGO:HEX gives the digest that a file must have"))
    }
    if isInPlace { errors.append(Self.meaninglessInPlace) }
    if invocation.isStrict, invocation.work != .check {
      errors.append(
        DownloadError(
          .usage, "--strict has a meaning only with --check",
          hint: "a download verifies every file for which a digest is given"))
    }
    guard invocation.work == .check else { return errors }
    if invocation.writesToStandardOutput {
      errors.append(DownloadError(.usage, "--check: standard output is no file that could be checked"))
    }
    if invocation.settings.target.takesSuggestedNames {
      errors.append(
        DownloadError(
          .usage, "--check cannot know the names that servers give",
          hint: "leave out --name-from and --content-disposition, and name the file with -o or in a list"))
    }
    return errors
  }

  /// The order of a command line with `--write-manifest`.
  func order(_ invocation: Invocation, format: WrittenFormat) throws(UsageErrors) -> ManifestOrder {
    var errors: [DownloadError] = []
    func add(_ message: String, hint: String? = nil) { errors.append(DownloadError(.usage, message, hint: hint)) }
    if let option = invocation.work.option { add("\(option) and --write-manifest cannot be done together") }
    for option in DownloadOptions.given(invocation) {
      add("\(option) has no meaning with --write-manifest", hint: "--write-manifest lists all files of a directory")
    }
    if invocation.directory != nil {
      add("--write-manifest does not use --dir", hint: "name the directory without an option")
    }
    if !invocation.inputs.isEmpty || !invocation.checksums.isEmpty || !invocation.mirrors.isEmpty {
      add("--write-manifest reads no list and downloads nothing", hint: "leave out -i, --checksum and --mirror")
    }
    if invocation.urls.count != 1 || invocation.urls[0].isEmpty {
      add("--write-manifest needs exactly one directory", hint: "swiftget --write-manifest \(format.rawValue) DIR")
    } else if TargetName.isURL(invocation.urls[0]) {
      add(
        "--write-manifest needs a directory of this machine, not a URL", hint: "--base-url gives the URL of the files")
    }
    var order = ManifestOrder(format: format, directory: invocation.urls.first ?? [])
    order.baseURL = invocation.baseURL
    if order.baseURL != nil, !format.hasURLs {
      add("--base-url has no meaning here: a \(format.rawValue) manifest has no URLs")
    } else if order.baseURL == nil, format.needsURLs {
      add("a Metalink needs the URLs of its files", hint: "give the URL of the directory with --base-url URL")
    }
    if format != .bagit {
      order.output = invocation.writesToStandardOutput ? nil : invocation.output
    } else if invocation.writesToStandardOutput {
      add(
        "a bag is a directory and cannot be written to standard output", hint: "name the bag with -o, or leave out -o")
    } else {
      order.output = invocation.output
    }
    if let output = order.output, TargetName.isReserved(output) {
      add("-o \(NamedFiles.shown(output)): \(RequestMessages.reason(.reservedSuffix))", hint: "choose another name")
    }
    order.isInPlace = isInPlace
    if isInPlace, format != .bagit || order.output != nil { errors.append(Self.meaninglessInPlace) }
    if let algorithms { order.algorithms = algorithms }
    if let refusal = format.refusal(of: order.algorithms) {
      add("--algorithm: \(ManifestMessages.reason(refusal, format))", hint: ManifestMessages.hint(refusal))
    }
    order.isQuiet = invocation.isQuiet
    order.log = invocation.log
    order.syncs = invocation.settings.target.syncs
    if !errors.isEmpty { throw UsageErrors(errors) }
    return order
  }
}
