import DownloadCore
import Glibc

/// Which paths of `-i` are BagIt bags, and what that means for the run: its files go into the bag.
enum BagChoice {
  private static let slash = UInt8(ascii: "/")

  /// Opens what `-i` names.
  ///
  /// - Parameters:
  ///   - inputs: note what decides what it is, and what it has.
  ///   - base: what `--base-url` says; nil if it is not given.
  ///   - verifier: nil where lists need no signature.
  static func input(
    _ source: ListSource, notedIn inputs: DecidingInputs, base: BaseURL?, _ invocation: Invocation,
    _ verifier: ListVerifier?
  ) throws(Failure) -> any RequestInput {
    guard case .path(let path) = source, let bag = Self.bag(path, invocation, inputs) else {
      return try ListInput(source, notedIn: inputs, base: base, invocation, verifier)
    }
    // Nothing would verify what its manifests say.
    if verifier != nil { throw SignatureMessages.unsignedBag(Diagnostic.escaped(Redaction.name(bag))) }
    let contents = try BagContents(bag, notedIn: inputs)
    if invocation.work == .check { return try BagCheckInput(contents, invocation) }
    return try BagInput(contents, invocation)
  }

  /// The invocation with the bag as its target directory, if one of its inputs is a bag.
  ///
  /// - Parameter inputs: note what decides whether one is.
  /// - Throws: a usage error where other options contradict that.
  static func placed(_ invocation: Invocation, notedIn inputs: DecidingInputs) throws(Failure) -> Invocation {
    var bag: [UInt8]?
    for path in invocation.inputs where bag == nil { bag = Self.bag(path, invocation, inputs) }
    guard let bag else { return invocation }
    let shown = Diagnostic.escaped(Redaction.name(bag))
    func refuse(_ reason: String, hint: String, about options: OptionID...) -> Failure {
      Failure(.usage, "-i \(shown): \(reason)", hint: hint, about: options)
    }
    if invocation.inputs.count > 1 || !invocation.urls.isEmpty {
      throw refuse("a bag must be the only list, and without URLs beside it", hint: "run swiftget once for each bag")
    }
    if invocation.strippedComponentCount > 0 || invocation.naming.template != nil {
      throw refuse(
        "the names in a bag cannot be changed", hint: "leave out --strip-components and --output-template",
        about: .stripComponents, .outputTemplate)
    }
    if invocation.baseURL != nil || invocation.columns != ColumnRules() {
      throw refuse(
        "a bag has URLs of its own", hint: "leave out --base-url, --columns, --url-template and --url-scheme")
    }
    var invocation = invocation
    if let directory = invocation.directory {
      guard NamedFiles.areSame(directory, bag) else {
        throw refuse(
          "-d names another directory, but the files of a bag go into the bag",
          hint: "leave out -d, or give -d \(shown)", about: .dir)
      }
    } else {
      invocation.directory = bag
    }
    return invocation
  }

  /// The bag that a path names: a directory with `bagit.txt`, or `fetch.txt` beside such a file. Nil for a list.
  ///
  /// With `--input-format bagit` any directory is meant to be a bag.
  private static func bag(_ path: [UInt8], _ invocation: Invocation, _ inputs: DecidingInputs) -> [UInt8]? {
    let format = invocation.inputFormat
    func isOfType(_ type: mode_t, _ path: [UInt8]) -> Bool {
      inputs.note(file: path)
      return stat(of: path)?.type == type
    }
    guard format == nil || format == ManifestFormat.bagit.rawValue else { return nil }
    if isOfType(S_IFDIR, path) {
      return format != nil || isOfType(S_IFREG, path + [slash] + BagContents.declaration) ? path : nil
    }
    let start = path.lastIndex(of: slash).map { $0 + 1 } ?? 0
    guard path[start...].elementsEqual(BagContents.fetch), isOfType(S_IFREG, path[..<start] + BagContents.declaration)
    else { return nil }
    return switch start {
    case 0: [UInt8(ascii: ".")]
    case 1: [slash]
    default: Array(path[..<(start - 1)])
    }
  }
}
