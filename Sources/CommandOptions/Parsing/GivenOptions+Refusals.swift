internal import DownloadCore
internal import DownloadLists

/// What is wrong with options beside others, or for what is asked for, from their rows in the table.
extension GivenOptions {
  /// What contradicts itself.
  ///
  /// - Parameter source: its name; nil for the command line.
  func contradictions(in source: String? = nil) -> [Failure] {
    specs.flatMap { spec in
      spec.excludes.filter(contains).map { other in
        Failure(
          .usage, (source.map { "\($0): " } ?? "") + "\(spec.id.name) contradicts \(other.name)",
          hint: "leave out one of the two")
      }
    }
  }

  /// Options that say nothing to what is asked for.
  func meaningless(for work: FileWork) -> [Failure] {
    specs.filter { !$0.verbs.contains(work) }.map { spec in
      // An option of another tool is not known by our name.
      let name = spellings[spec.id].flatMap { spec.spellings.contains($0) ? nil : "'\($0)' (\(spec.id.name))" }
      return Failure(
        .usage,
        "\(name ?? "'\(spec.id.name)'") has no meaning \(work.option.map { "with \(spellings[$0] ?? $0.name)" } ?? "for a download")",
        hint: "it has one \(Self.places(spec.verbs))")
    }
  }

  private static func places(_ verbs: Set<FileWork>) -> String {
    let options = FileWork.allCases.filter { verbs.contains($0) && $0 != .plan }.compactMap {
      $0 == .serve ? "serve" : $0.option?.name
    }
    let places = (verbs.contains(.download) ? ["for a download"] : []) + (options.first.map { ["with \($0)"] } ?? [])
    return (places + options.dropFirst()).joined(separator: " or ")
  }

  /// What these options need and the invocation lacks.
  ///
  /// - Parameter all: those of all sources.
  func unmet(by invocation: Invocation, all: GivenOptions) -> [Failure] {
    specs.flatMap { spec in spec.needs.compactMap { error(of: spec, $0, invocation, all) } }
  }

  private func error(
    of spec: OptionSpec, _ need: OptionNeed, _ invocation: Invocation, _ all: GivenOptions
  ) -> Failure? {
    func unmet(_ what: String, hint: String) -> Failure {
      Failure(.usage, "'\(spellings[spec.id] ?? spec.id.name)' needs \(what)", hint: hint)
    }
    let readsLists = invocation.work != .writeManifest
    switch need {
    case .oneURL where readsLists && (invocation.lists.urlCount != 1 || !invocation.lists.inputs.isEmpty):
      return unmet(
        "exactly one URL", hint: "for several files with their own names and checksums, use a list: swiftget -i LIST")
    case .list where readsLists && invocation.lists.inputs.isEmpty:
      return unmet("a list", hint: "give the list with -i LIST")
    case .oneList where readsLists && invocation.lists.inputs.count != 1:
      return unmet(
        "exactly one list", hint: "put the signature of each list beside it, such as LIST.minisig")
    case .option(let other) where !all.contains(other):
      return unmet(other.name, hint: "add \(OptionTable.spec(other).usage.drop(while: { $0 == " " }))")
    case .oneURL, .list, .oneList, .option: return nil
    }
  }
}
