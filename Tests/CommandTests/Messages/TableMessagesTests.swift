import Testing

@testable import DownloadCore
@testable import DownloadWords

@Suite struct `Words of table errors` {
  /// The cases of `TableProblem`: the compiler asks for a new one below, and the test for a sample of it.
  private enum Name: CaseIterable {
    case fieldTooLong, rowTooLong, fieldCount, textAfterQuote, unfinishedQuote
    case noURLColumn, gdcWithoutTemplate, asperaOnly, unknownColumn, columnBeyondEnd, ambiguousColumn
    case emptyURL, notURL, notSize, unnamedDigest, unusableTemplateValue, listLength

    init(_ problem: TableProblem) {
      self =
        switch problem {
        case .fieldTooLong: .fieldTooLong
        case .rowTooLong: .rowTooLong
        case .fieldCount: .fieldCount
        case .textAfterQuote: .textAfterQuote
        case .unfinishedQuote: .unfinishedQuote
        case .noURLColumn: .noURLColumn
        case .gdcWithoutTemplate: .gdcWithoutTemplate
        case .asperaOnly: .asperaOnly
        case .unknownColumn: .unknownColumn
        case .columnBeyondEnd: .columnBeyondEnd
        case .ambiguousColumn: .ambiguousColumn
        case .emptyURL: .emptyURL
        case .notURL: .notURL
        case .notSize: .notSize
        case .unnamedDigest: .unnamedDigest
        case .unusableTemplateValue: .unusableTemplateValue
        case .listLength: .listLength
        }
    }
  }

  private static let text = Array("me:secret@h/x?secret".utf8)
  private static let shown = "…@h/x?…"
  private static let columns = (1...14).map { Array("c\($0)".utf8) }

  private static let samples: [Sample<TableProblem>] = [
    Sample(.fieldTooLong, "64 KiB"), Sample(.rowTooLong, "1024 KiB"),
    Sample(.fieldCount(found: 1, expected: 3), "1 field,", "3"),
    Sample(.textAfterQuote), Sample(.unfinishedQuote), Sample(.noURLColumn(columns)),
    Sample(.gdcWithoutTemplate, "GDC"), Sample(.asperaOnly, "Aspera"),
    Sample(.unknownColumn(Array("link".utf8), columns), "'link'"),
    Sample(.columnBeyondEnd(9, count: 3), "9", "3 fields"),
    Sample(.ambiguousColumn(Array("url".utf8)), "'url'"), Sample(.emptyURL), Sample(.notURL(text), shown),
    Sample(.notSize(text), shown, "2^63"), Sample(.unnamedDigest),
    Sample(.unusableTemplateValue(Array("id".utf8)), "'id'"),
    Sample(.listLength(column: Array("fastq_md5".utf8), found: 1, expected: 2), "'fastq_md5'", "1", "2"),
  ]

  @Test func `exist for each problem`() {
    #expect(Set(Self.samples.map { Name($0.value) }) == Set(Name.allCases))
  }

  @Test func `tell their facts`() {
    for sample in Self.samples {
      let message = TableMessages.message(sample.value)
      #expect(message.hasPrefix("'") || Wording.isPhrase(message), "\(message)")
      Wording.check("line: " + message, hint: TableMessages.hint(sample.value), facts: sample.facts, "\(sample.value)")
    }
  }

  @Test func `list the columns that exist, but not too many`() {
    let hint = TableMessages.hint(.unknownColumn(Array("link".utf8), Self.columns))?.text(in: .command)
    #expect(hint?.contains("'c1', 'c2'") == true && hint?.contains("c13") == false && hint?.hasSuffix("2 more") == true)
    #expect(
      TableMessages.hint(.noURLColumn([Array("a".utf8)]))?.text(in: .command).hasSuffix("the columns are: 'a'") == true)
  }

  @Test func `give the template for a GDC manifest`() {
    #expect(
      TableMessages.hint(.gdcWithoutTemplate)?.text(in: .command).contains("'https://api.gdc.cancer.gov/data/{id}'")
        == true)
  }
}
