import Testing

@testable import DownloadCore
@testable import DownloadWords

@Suite struct `Words of JSON errors` {
  /// The cases of `JSONProblem`: the compiler asks for a new one below, and the test for a sample of it.
  private enum Name: CaseIterable {
    case syntax, valueTooLong, lineTooLong, wrongType, unknownKey, missingKey, emptyValue, unknownVersion, notSize
    case pieceCount, malformedHeader, unknownDocument, noRecords, pathOutsideRecords, nextPage, foreignPage,
      repeatedPage, manyPages, unknownPath,
      numberedColumn, resourceInParts, severalValues, noAlgorithm, noKeys

    init(_ problem: JSONProblem) {
      self =
        switch problem {
        case .syntax: .syntax
        case .valueTooLong: .valueTooLong
        case .lineTooLong: .lineTooLong
        case .wrongType: .wrongType
        case .unknownKey: .unknownKey
        case .missingKey: .missingKey
        case .emptyValue: .emptyValue
        case .unknownVersion: .unknownVersion
        case .notSize: .notSize
        case .pieceCount: .pieceCount
        case .malformedHeader: .malformedHeader
        case .unknownDocument: .unknownDocument
        case .noRecords: .noRecords
        case .pathOutsideRecords: .pathOutsideRecords
        case .nextPage: .nextPage
        case .foreignPage: .foreignPage
        case .repeatedPage: .repeatedPage
        case .manyPages: .manyPages
        case .unknownPath: .unknownPath
        case .numberedColumn: .numberedColumn
        case .resourceInParts: .resourceInParts
        case .severalValues: .severalValues
        case .noAlgorithm: .noAlgorithm
        case .noKeys: .noKeys
        }
    }
  }

  private static let key = Array("size".utf8)

  private static let samples: [Sample<JSONProblem>] =
    JSONProblem.Syntax.allCases.map { Sample(.syntax($0)) } + [
      Sample(.valueTooLong(limit: 4 << 20), "4 MiB"), Sample(.lineTooLong(limit: 4 << 20), "4 MiB"),
      Sample(.wrongType(key: key, expected: .text), "'size' is not a text"),
      Sample(.wrongType(key: nil, expected: .object), "an entry is not an object"), Sample(.unknownKey(key), "'size'"),
      Sample(.missingKey(key), "'size'"), Sample(.emptyValue(key: key), "'size'"), Sample(.unknownVersion, "1"),
      Sample(.notSize(key: key), "'size'"), Sample(.pieceCount(found: 1, size: 9), "1 hash of a piece does not", "9"),
      Sample(.pieceCount(found: 2, size: 9), "2 hashes of pieces do not"), Sample(.malformedHeader),
      Sample(.unknownDocument), Sample(.noRecords),
      Sample(.pathOutsideRecords(Array("m".utf8), key: key), "'m'", "'size'"),
      Sample(.nextPage), Sample(.foreignPage), Sample(.repeatedPage), Sample(.manyPages(limit: 7), "7"),
      Sample(.unknownPath(Array("h.sha".utf8)), "h.sha"), Sample(.numberedColumn(3), "3"),
      Sample(.resourceInParts), Sample(.severalValues(Array("a.n".utf8)), "'a.n'"),
      Sample(.noAlgorithm(Array("c.type".utf8)), "'c.type'"), Sample(.noKeys, "{key}"),
    ]

  @Test func `exist for each problem`() {
    #expect(Set(Self.samples.map { Name($0.value) }) == Set(Name.allCases))
  }

  @Test func `tell their facts`() {
    for sample in Self.samples {
      let message = JSONMessages.message(sample.value)
      #expect(message.hasPrefix("'") || Wording.isPhrase(message), "\(message)")
      Wording.check("line: " + message, hint: JSONMessages.hint(sample.value), facts: sample.facts, "\(sample.value)")
    }
  }

  @Test func `differ for each error of syntax`() {
    #expect(
      Set(JSONProblem.Syntax.allCases.map { JSONMessages.message(.syntax($0)) }).count
        == JSONProblem.Syntax.allCases.count)
  }
}
