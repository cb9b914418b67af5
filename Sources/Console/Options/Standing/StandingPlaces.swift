import DownloadCore

/// Where the options of a run stand that its command line does not give, so that errors about them can say it.
package struct StandingPlaces: Sendable, Equatable {
  /// `FILE:LINE`, or the name of the variable, of options for all hosts.
  private var places: [OptionID: String] = [:]
  /// The same of options for some hosts.
  private var placesOfHosts: [OptionID: [String]] = [:]

  /// - Parameter spelling: the option as its source has it, behind the place and a colon.
  mutating func add(_ id: OptionID, spelling: String, isOfHost: Bool) {
    guard let place = spelling.lastIndex(of: ":").map({ String(spelling[..<$0]) }) else { return }
    if isOfHost { placesOfHosts[id, default: []].append(place) } else { places[id] = place }
  }

  /// The command line gives the option.
  mutating func remove(_ id: OptionID) {
    places[id] = nil
    placesOfHosts[id] = nil
  }

  /// Whether the option stands in the configuration file or in the variable, and not in the command line.
  func has(_ id: OptionID) -> Bool { places[id] != nil }

  /// Which of several is meant is not known.
  private func shownPlaces(of id: OptionID) -> String? {
    let all = [places[id]].compactMap(\.self) + (placesOfHosts[id] ?? [])
    return all.isEmpty ? nil : all.joined(separator: " and ")
  }

  /// The error, with a hint to each of these options that its words name, such as `--dir` or `-d`.
  func located(_ error: DownloadError) -> DownloadError {
    guard !places.isEmpty || !placesOfHosts.isEmpty, error.code == .usage else { return error }
    let hint = error.hint()
    let text = error.message + " " + (hint ?? "")
    let words = Set(text.split { !($0 == "-" || $0.isLetter || $0.isNumber) }.map(String.init))
    let found = OptionTable.options.compactMap { option -> String? in
      let names = option.longs.map { "--" + $0 } + option.shorts.map { "-\($0)" }
      guard let place = shownPlaces(of: option.id), !words.isDisjoint(with: names) else { return nil }
      return "--\(option.long) stands in \(place)"
    }
    if found.isEmpty { return error }
    return DownloadError(.usage, error.message, hint: ([hint].compactMap(\.self) + found).joined(separator: "; "))
  }

  /// Does `body`, whose errors get their hints.
  func locating<Value>(_ body: () throws(DownloadError) -> Value) throws(DownloadError) -> Value {
    do throws(DownloadError) { return try body() } catch { throw located(error) }
  }
}
