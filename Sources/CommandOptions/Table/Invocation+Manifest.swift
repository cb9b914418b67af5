internal import CommandChecking
internal import DownloadCore
internal import DownloadWords

extension OptionArgument {
  /// Digests, none of them twice.
  func algorithms() throws(Failure) -> [DigestAlgorithm] {
    var algorithms: [DigestAlgorithm] = []
    for word in try words() {
      guard let algorithm = DigestAlgorithm(name: word) else {
        throw refused(
          "is not a list of algorithms",
          hint: "use names separated by commas: " + DigestAlgorithm.allCases.map(\.rawValue).joined(separator: ", "))
      }
      if !algorithms.contains(algorithm) { algorithms.append(algorithm) }
    }
    return algorithms
  }
}

extension Invocation {
  mutating func writeManifest(_ format: OptionArgument) throws(Failure) {
    manifest.format = try format.choice()
    work = .writeManifest
  }

  /// The order of a command line with `--write-manifest`; nil without a format.
  ///
  /// - Parameter errors: gets what is wrong with it.
  func manifestOrder(_ errors: inout [Failure]) -> ManifestOrder? {
    guard let format = manifest.format else { return nil }
    func add(_ message: String, hint: String? = nil) { errors.append(Failure(.usage, message, hint: hint)) }
    if lists.urls.count != 1 || lists.urls[0].isEmpty {
      add("--write-manifest needs exactly one directory", hint: "swiftget --write-manifest \(format.rawValue) DIR")
    } else if TargetName.isURL(lists.urls[0]) {
      add(
        "--write-manifest needs a directory of this machine, not a URL", hint: "--base-url gives the URL of the files")
    }
    var order = ManifestOrder(format: format, directory: lists.urls.first ?? [])
    order.baseURL = lists.baseURL
    if order.baseURL != nil, !format.hasURLs {
      add("--base-url has no meaning here: a \(format.rawValue) manifest has no URLs")
    } else if order.baseURL == nil, format.needsURLs {
      add("a Metalink needs the URLs of its files", hint: "give the URL of the directory with --base-url URL")
    }
    if format == .bagit, naming.writesToStandardOutput {
      add(
        "a bag is a directory and cannot be written to standard output", hint: "name the bag with -o, or leave out -o")
    }
    order.output = naming.writesToStandardOutput ? nil : naming.output
    if let output = order.output, TargetName.isReserved(output) {
      add("-o \(NamedFiles.shown(output)): \(RequestMessages.reason(.reservedSuffix))", hint: "choose another name")
    }
    order.isInPlace = manifest.isInPlace
    if order.isInPlace, format != .bagit || order.output != nil {
      add(
        "--in-place has a meaning only with --write-manifest bagit, and without -o",
        hint: "--write-manifest bagit --in-place DIR makes a bag of a directory")
    }
    if let algorithms = manifest.algorithms { order.algorithms = algorithms }
    if let refusal = format.refusal(of: order.algorithms) {
      add("--algorithm: \(ManifestMessages.reason(refusal, format))", hint: ManifestMessages.hint(refusal))
    }
    order.isQuiet = display.isQuiet
    order.log = records.log
    order.syncs = settings.target.syncs
    return order
  }
}
