internal import DownloadCore
internal import DownloadLists
internal import DownloadWords

extension OptionArgument {
  /// `I/N`, `auto` or `auto/N`.
  func shard(_ environment: Environment) throws(Failure) -> Shard {
    let parts = bytes.split(separator: UInt8(ascii: "/"), maxSplits: 1, omittingEmptySubsequences: false)
    let isAutomatic = parts[0].elementsEqual("auto".utf8)
    let hint = "use I/N with I from 1 to N, such as 2/16; or auto, or auto/N, in a job array"
    if isAutomatic, parts.count == 1 { return try automaticShard(count: nil, environment) }
    guard parts.count == 2, let count = Int64(digits: parts[1]), Shard.counts.contains(count) else {
      throw refused("is not a shard", hint: hint)
    }
    if isAutomatic { return try automaticShard(count: count, environment) }
    guard let number = Int64(digits: parts[0]), let shard = Shard(number: number, of: count) else {
      throw refused("is not a shard", hint: hint)
    }
    return shard
  }

  private func automaticShard(count: Int64?, _ environment: Environment) throws(Failure) -> Shard {
    do { return try JobArray.shard(count: count, environment) } catch {
      let shown = Diagnostic.escaped(bytes)
      throw Failure(.usage, "\(spelling) \(shown): \(Self.message(error))", hint: Self.hint(error))
    }
  }

  private static func message(_ fault: JobArray.Fault) -> String {
    switch fault {
    case .noVariable: "no variable of a job array is set"
    case .indexOnly(let name): "\(name) tells an index, but not how many there are"
    case .missing(let name, let beside): "\(beside) is set, but \(name) is not"
    case .notANumber(let name, let text): "\(name) is not a whole number: '\(Diagnostic.escaped(text))'"
    case .uneven(let name): "\(name) is of an array whose indices are not evenly spaced"
    case .outOfRange(let name, let number, let count): "\(name) says shard \(number), but there are \(count)"
    case .otherCount(let name, let count, let expected):
      "the array of \(name) has \(Humanized.count(count, "task")), not \(expected)"
    case .contradiction(let name, let number, let other, let otherNumber):
      "\(name) says shard \(number), and \(other) shard \(otherNumber)"
    }
  }

  private static func hint(_ fault: JobArray.Fault) -> String {
    switch fault {
    case .noVariable:
      "Slurm and Grid Engine tell index and number; auto/N takes the index of Kubernetes, GNU parallel or PBS; else I/N"
    case .indexOnly: "give the number with auto/N"
    case .missing, .notANumber, .uneven: "give the shard as I/N"
    case .outOfRange: "the index counts from 1, in Kubernetes from 0; give the shard as I/N"
    case .otherCount(let name, _, _): "use auto for the shards of the array, or give one as I/N, such as $\(name)/N"
    case .contradiction: "unset the one that is not meant, or give the shard as I/N"
    }
  }
}
