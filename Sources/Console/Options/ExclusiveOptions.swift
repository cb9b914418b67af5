import DownloadCore

/// Options that contradict each other: of two sources the one that counts more wins, and within one source that is an
/// error.
struct ExclusiveOptions {
  private let one: OptionID
  private let other: OptionID
  private let message: String
  private let hint: String

  private static let pairs: [ExclusiveOptions] =
    [OptionID.output, .nameFrom, .contentDisposition, .forceDirectories, .stripComponents].map { other in
      ExclusiveOptions(
        one: .outputTemplate, other: other,
        message:
          "--output-template contradicts --\(OptionTable.spec(other).long): both say how files are named",
        hint: "leave out one of the two")
    }
    + [.nameFrom, .contentDisposition].map { other in
      ExclusiveOptions(
        one: .frozen, other: other, message: "--frozen needs names that are known before the download",
        hint: "leave out --\(OptionTable.spec(other).long), and name the file with -o or in a list")
    }

  /// Whether an option takes part. `--strip-components 0` and `--name-from url` say the same as without the option.
  static func counts(_ id: OptionID, _ argument: [UInt8]?) -> Bool {
    switch id {
    case .stripComponents: argument.map { !$0.allSatisfy { $0 == UInt8(ascii: "0") } } ?? true
    case .nameFrom: argument.map { !$0.elementsEqual("url".utf8) } ?? true
    default: true
    }
  }

  /// The options of a source that count.
  static func counting(_ findings: [StandingFinding], without dropped: Set<OptionID>) -> Set<OptionID> {
    Set(
      findings.compactMap { finding in
        guard case .option(let spec, _, let argument) = finding, !dropped.contains(spec.id) else { return nil }
        return counts(spec.id, argument) ? spec.id : nil
      })
  }

  /// Options that contradict one of these.
  static func contradicting(_ given: Set<OptionID>) -> Set<OptionID> {
    var found: Set<OptionID> = []
    for pair in pairs {
      if given.contains(pair.one) { found.insert(pair.other) }
      if given.contains(pair.other) { found.insert(pair.one) }
    }
    return found
  }

  /// What contradicts itself in one source.
  ///
  /// - Parameter source: its name; nil for the command line.
  static func errors(_ given: Set<OptionID>, source: String?) -> [DownloadError] {
    pairs.filter { given.contains($0.one) && given.contains($0.other) }.map { pair in
      DownloadError(.usage, (source.map { "\($0): " } ?? "") + pair.message, hint: pair.hint)
    }
  }
}
