internal import DownloadLists

/// The options of a source that say something: not those that are taken back, by an argument that is the default too.
struct GivenOptions {
  /// As they are given first.
  private(set) var spellings: [OptionID: String] = [:]

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

  var specs: [OptionSpec] { OptionTable.options.filter { contains($0.id) } }

  /// What these options ask for.
  var work: FileWork { FileWork.allCases.first { $0.option.map(contains) ?? false } ?? .download }

  /// Options that contradict one of these.
  var contradicted: Set<OptionID> {
    OptionTable.options.reduce(into: []) { found, spec in
      if contains(spec.id) { found.formUnion(spec.excludes) }
      if spec.excludes.contains(where: contains) { found.insert(spec.id) }
    }
  }
}
