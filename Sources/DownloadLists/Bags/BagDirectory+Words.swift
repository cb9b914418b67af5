package import DownloadCore
package import DownloadHashing
internal import DownloadWords

extension BagMessages {
  /// What is wrong with a bag's own file; nil if nothing is.
  ///
  /// - Parameters:
  ///   - name: as messages show it.
  ///   - place: the line of a tag manifest that lists it.
  package static func error(_ result: CheckResult, of name: String, listedAt place: String) -> Failure? {
    let hint: Phrase = "ask the author of the bag; swiftget \(.check) tells all that is wrong with it"
    switch result {
    case .verified, .sizeOnly, .unverified, .uncomparable: return nil
    case .differs(let difference):
      return Failure(
        .integrity, words: "\(name): the file does not match \(place): \(LocalFileMessages.message(difference))",
        hint: hint)
    case .absent(let problem):
      return Failure(
        .integrity, words: "\(name): the file is listed in \(place): \(LocalFileMessages.message(problem))", hint: hint)
    case .unreadable(let problem):
      return Failure(
        .localIO, "\(name): \(LocalFileMessages.message(problem))", hint: LocalFileMessages.hint(problem))
    }
  }
}
