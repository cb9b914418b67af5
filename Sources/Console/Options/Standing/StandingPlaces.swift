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

  /// Which of several is meant is not known.
  private func shownPlaces(of id: OptionID) -> String? {
    let all = [places[id]].compactMap(\.self) + (placesOfHosts[id] ?? [])
    return all.isEmpty ? nil : all.joined(separator: " and ")
  }

  /// The error, with a hint to each of the options that it is about and that stand somewhere.
  func located(_ error: Failure) -> Failure {
    guard case .worded(let code, let message, let hint, let options) = error.cause, !options.isEmpty else {
      return error
    }
    let found = OptionTable.options.compactMap { spec in
      options.contains(spec.id.name) ? shownPlaces(of: spec.id).map { "\(spec.id.name) stands in \($0)" } : nil
    }
    let hints = [hint].compactMap(\.self) + found
    return Failure(code, message, hint: hints.isEmpty ? nil : hints.joined(separator: "; "))
  }

  /// Does `body`, whose errors get their hints.
  func locating<Value>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
    do throws(Failure) { return try body() } catch { throw located(error) }
  }
}
