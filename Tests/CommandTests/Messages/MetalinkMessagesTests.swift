import Testing

@testable import DownloadCore
@testable import DownloadWords

@Suite struct `Words of Metalink errors` {
  /// The cases of `MetalinkProblem`: the compiler asks for a new one below, and the test for a sample of it.
  private enum Name: CaseIterable {
    case malformedXML, unfinishedDocument, unknownEncoding, documentTypeDeclaration, markupTooLong, nestedTooDeeply
    case notMetalink, missingAttribute, textTooLong, elementInText, malformedSize, malformedPieceLength
    case pieceNumbers, pieceCount, tooManyPieces, tooManyURLs, onlyOtherMedia, noUsableURL

    init(_ problem: MetalinkProblem) {
      self =
        switch problem {
        case .malformedXML: .malformedXML
        case .unfinishedDocument: .unfinishedDocument
        case .unknownEncoding: .unknownEncoding
        case .documentTypeDeclaration: .documentTypeDeclaration
        case .markupTooLong: .markupTooLong
        case .nestedTooDeeply: .nestedTooDeeply
        case .notMetalink: .notMetalink
        case .missingAttribute: .missingAttribute
        case .textTooLong: .textTooLong
        case .elementInText: .elementInText
        case .malformedSize: .malformedSize
        case .malformedPieceLength: .malformedPieceLength
        case .pieceNumbers: .pieceNumbers
        case .pieceCount: .pieceCount
        case .tooManyPieces: .tooManyPieces
        case .tooManyURLs: .tooManyURLs
        case .onlyOtherMedia: .onlyOtherMedia
        case .noUsableURL: .noUsableURL
        }
    }
  }

  private static let samples: [Sample<MetalinkProblem>] = [
    Sample(.malformedXML("mismatched tag"), "mismatched tag"), Sample(.unfinishedDocument), Sample(.unknownEncoding),
    Sample(.documentTypeDeclaration), Sample(.markupTooLong, "1 MiB"), Sample(.nestedTooDeeply),
    Sample(.notMetalink, "Metalink"), Sample(.missingAttribute("type", of: "hash"), "hash", "type"),
    Sample(.textTooLong, "64 KiB"), Sample(.elementInText), Sample(.malformedSize(Array("1e3".utf8)), "'1e3'"),
    Sample(.malformedPieceLength(Array("0".utf8)), "'0'"), Sample(.pieceNumbers),
    Sample(.pieceCount(7), "7"), Sample(.tooManyPieces), Sample(.tooManyURLs),
    Sample(.onlyOtherMedia(Array("torrent".utf8)), "'torrent'"), Sample(.noUsableURL, "https"),
  ]

  @Test func `exist for each problem`() {
    #expect(Set(Self.samples.map { Name($0.value) }) == Set(Name.allCases))
  }

  @Test func `tell their facts`() {
    for sample in Self.samples {
      let message = MetalinkMessages.message(sample.value)
      #expect(Wording.isPhrase(message), "\(message)")
      Wording.check(
        "line: " + message, hint: MetalinkMessages.hint(sample.value), facts: sample.facts, "\(sample.value)")
    }
  }
}
