internal import DownloadCore
internal import DownloadLists

/// The options of a source that say something: not those that are taken back, by an argument that is the default too.
///
/// What is wrong with an option beside others is decided here, from its row in the table.
struct GivenOptions {
  /// As they are given first.
  private var spellings: [OptionID: String] = [:]

  /// - Parameter dropped: options that do not count here.
  init(_ findings: [OptionFinding] = [], without dropped: Set<OptionID> = []) { add(findings, without: dropped) }

  mutating func add(_ findings: [OptionFinding], without dropped: Set<OptionID>) {
    for finding in findings {
      switch finding {
      case .option(let spec, let spelling, let argument) where !dropped.contains(spec.id):
        spellings[spec.id] = spec.isDefault(argument) ? nil : spellings[spec.id] ?? spelling
      case .takenBack(let spec, _): spellings[spec.id] = nil
      case .option, .refused, .hosts: break
      }
    }
  }

  func contains(_ id: OptionID) -> Bool { spellings[id] != nil }

  private var specs: [OptionSpec] { OptionTable.options.filter { contains($0.id) } }

  /// What these options ask for.
  var work: FileWork { FileWork.allCases.first { $0.option.map(contains) ?? false } ?? .download }

  /// Options that contradict one of these.
  var contradicted: Set<OptionID> {
    OptionTable.options.reduce(into: []) { found, spec in
      if contains(spec.id) { found.formUnion(spec.excludes) }
      if spec.excludes.contains(where: contains) { found.insert(spec.id) }
    }
  }

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
      return unmet(other.name, hint: "add \(OptionTable.spec(other).usage.trimmingPrefix(while: { $0 == " " }))")
    case .oneURL, .list, .oneList, .option: return nil
    }
  }
}
