package import DownloadCore

/// Everything that is wrong with a command line, or with the first lines of its lists, in order.
package struct UsageErrors: Error, Equatable {
  let errors: [Failure]

  /// So many problems of lists or of the configuration file are shown: one mistake often stands on every line.
  package static let mostOfFile = 20

  /// An error after each other one that is equal to it is left out.
  package init(_ errors: [Failure]) {
    var seen: Set<Failure> = []
    self.errors = errors.filter { seen.insert($0).inserted }
  }

  /// A line for each error, and each hint once.
  package func text(in vocabulary: Vocabulary) -> String {
    var told: Set<Phrase> = []
    return errors.map { error in
      let hint = error.advice().flatMap { told.insert($0).inserted ? $0 : nil }
      return Diagnostic(words: error.words, hint: hint).text(in: vocabulary)
    }.joined()
  }
}
