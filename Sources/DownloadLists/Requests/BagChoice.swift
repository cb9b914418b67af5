package import DownloadCore
internal import DownloadWords
internal import Glibc

/// Which paths of `-i` are BagIt bags, and what that means for the run: its files go into the bag.
package enum BagChoice {
  private static let slash = UInt8(ascii: "/")

  /// Opens what `-i` names.
  ///
  /// - Parameters:
  ///   - inputs: note what decides what it is, and what it has.
  ///   - base: what `--base-url` says; nil if it is not given.
  ///   - isChecked: whether the files of a bag are checked, and not downloaded.
  ///   - verifier: nil where lists need no signature.
  static func input(
    _ source: ListSource, notedIn inputs: DecidingInputs, base: BaseURL?, _ options: ListOptions, isChecked: Bool,
    _ verifier: ListVerifier?, _ patience: ListPatience
  ) throws(Failure) -> any RequestInput {
    guard case .path(let path) = source, let bag = Self.bag(path, options, inputs) else {
      return try ListInput(source, notedIn: inputs, base: base, options, verifier, patience)
    }
    // Nothing would verify what its manifests say.
    if verifier != nil { throw SignatureMessages.unsignedBag(Diagnostic.escaped(Redaction.name(bag))) }
    let contents = try BagContents(bag, notedIn: inputs)
    return isChecked ? try BagCheckInput(contents) : try BagInput(contents, options.filter)
  }

  /// The directory of the run: that of `-d`, or the bag, if one of the lists is a bag.
  ///
  /// - Parameter inputs: note what decides whether one is.
  /// - Throws: a usage error where other options contradict that.
  package static func directory(
    of options: ListOptions, _ naming: NamingOptions, notedIn inputs: DecidingInputs
  ) throws(Failure) -> [UInt8]? {
    var bag: [UInt8]?
    for path in options.inputs where bag == nil { bag = Self.bag(path, options, inputs) }
    guard let bag else { return naming.directory }
    let shown = Diagnostic.escaped(Redaction.name(bag))
    func refuse(_ reason: Phrase, hint: Phrase, about options: Phrase...) -> Failure {
      Failure(.usage, words: "\(.inputFile, shown): \(reason)", hint: hint, about: options)
    }
    if options.inputs.count > 1 || !options.urls.isEmpty {
      throw refuse("a bag must be the only list, and without URLs beside it", hint: "run swiftget once for each bag")
    }
    if naming.strippedComponentCount > 0 || naming.template != nil || naming.takesBaseNames {
      throw refuse(
        "the names in a bag cannot be changed",
        hint: "leave out \(.stripComponents), \(.basename) and \(.outputTemplate)",
        about: "\(.stripComponents)", "\(.basename)", "\(.outputTemplate)")
    }
    if options.baseURL != nil || options.columns != ColumnRules() {
      throw refuse(
        "a bag has URLs of its own", hint: "leave out \(.baseURL), \(.columns), \(.urlTemplate) and \(.urlScheme)")
    }
    guard let directory = naming.directory else { return bag }
    guard NamedFiles.areSame(directory, bag) else {
      throw refuse(
        "\(.dir) names another directory, but the files of a bag go into the bag",
        hint: "leave out \(.dir), or give \(.dir, shown)", about: "\(.dir)")
    }
    return directory
  }

  /// The bag that a path names: a directory with `bagit.txt`, or `fetch.txt` beside such a file. Nil for a list.
  ///
  /// With `--input-format bagit` any directory is meant to be a bag.
  private static func bag(_ path: [UInt8], _ options: ListOptions, _ inputs: DecidingInputs) -> [UInt8]? {
    let format = options.inputFormat
    func isOfType(_ type: mode_t, _ path: [UInt8]) -> Bool {
      inputs.note(file: path)
      return stat(of: path)?.type == type
    }
    guard format == nil || format == ListFormat.bagit.rawValue else { return nil }
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
