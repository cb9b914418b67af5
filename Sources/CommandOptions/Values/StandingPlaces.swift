package import DownloadCore

/// Where the options of a run stand that its command line does not give, so that errors about them can say it.
package struct StandingPlaces: Sendable, Equatable {
  /// The configuration file that was read.
  package var file: ConfigurationPlace?
  /// `FILE:LINE`, or the name of the variable, of options for all hosts.
  private var places: [String: String] = [:]
  /// The same of options for some hosts.
  private var placesOfHosts: [String: [String]] = [:]

  package init() {}

  /// - Parameters:
  ///   - option: its name with its dashes.
  ///   - spelling: the option as its source has it, behind the place and a colon.
  mutating func add(_ option: String, spelling: String, isOfHost: Bool) {
    guard let place = spelling.lastIndex(of: ":").map({ String(spelling[..<$0]) }) else { return }
    if isOfHost { placesOfHosts[option, default: []].append(place) } else { places[option] = place }
  }

  /// The command line gives the option.
  mutating func remove(_ option: String) {
    places[option] = nil
    placesOfHosts[option] = nil
  }

  /// Whether the configuration or the variable has the option, and the command line does not.
  package func have(_ option: OptionID) -> Bool { places[option.name] != nil }

  /// Which of several is meant is not known.
  private func shownPlaces(of option: String) -> String? {
    let all = [places[option]].compactMap(\.self) + (placesOfHosts[option] ?? [])
    return all.isEmpty ? nil : all.joined(separator: " and ")
  }

  /// The error, with a hint to each of the options that it is about and that stand somewhere.
  package func located(_ error: Failure) -> Failure {
    guard case .worded(let code, let message, let hint, let options) = error.cause, !options.isEmpty else {
      return error
    }
    let found = options.map { $0.text(in: .longOptions) }.compactMap { option in
      shownPlaces(of: option).map { "\(option) stands in \($0)" }
    }
    let hints = [hint?.text(in: .command)].compactMap(\.self) + found
    return Failure(code, words: message, hint: hints.isEmpty ? nil : Phrase(hints.joined(separator: "; ")))
  }

  /// Does `body`, whose errors get their hints.
  package func locating<Value>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
    do throws(Failure) { return try body() } catch { throw located(error) }
  }
}

/// The path of a configuration file.
package struct ConfigurationPlace: Sendable, Equatable {
  package let path: [UInt8]
  /// Whether `--config` names it.
  package let isNamed: Bool
}
