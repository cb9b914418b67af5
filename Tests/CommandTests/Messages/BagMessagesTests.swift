import Testing

@testable import DownloadCore
@testable import DownloadWords

@Suite struct `Words of errors in bags` {
  /// The cases of `BagProblem`: the compiler asks for a new one below, and the test for a sample of it.
  private enum Name: CaseIterable {
    case byteOrderMark, malformedDeclaration, unknownVersion, unsupportedEncoding, notUTF8, bareCarriageReturn
    case invalidName, homeDirectory, outsidePayload, insidePayload, notManifestLine, repeatedName
    case contradictoryDigests, missingInManifest, notFetchLine, notLength, notInManifest, missingWithoutURL
    case notTagLine, malformedOxum, contradictoryOxum, noPayloadManifest, noKnownManifest
    case repeatedURL, repeatedAlgorithm

    init(_ problem: BagProblem) {
      self =
        switch problem {
        case .byteOrderMark: .byteOrderMark
        case .malformedDeclaration: .malformedDeclaration
        case .unknownVersion: .unknownVersion
        case .unsupportedEncoding: .unsupportedEncoding
        case .notUTF8: .notUTF8
        case .bareCarriageReturn: .bareCarriageReturn
        case .invalidName: .invalidName
        case .homeDirectory: .homeDirectory
        case .outsidePayload: .outsidePayload
        case .insidePayload: .insidePayload
        case .notManifestLine: .notManifestLine
        case .repeatedName: .repeatedName
        case .contradictoryDigests: .contradictoryDigests
        case .missingInManifest: .missingInManifest
        case .notFetchLine: .notFetchLine
        case .notLength: .notLength
        case .notInManifest: .notInManifest
        case .repeatedURL: .repeatedURL
        case .repeatedAlgorithm: .repeatedAlgorithm
        case .missingWithoutURL: .missingWithoutURL
        case .notTagLine: .notTagLine
        case .malformedOxum: .malformedOxum
        case .contradictoryOxum: .contradictoryOxum
        case .noPayloadManifest: .noPayloadManifest
        case .noKnownManifest: .noKnownManifest
        }
    }
  }

  private static let name = Array("data/a\nb".utf8)
  private static let manifest = Array("manifest-md5.txt".utf8)
  private static let secret = Array("me:secret@h/x?secret".utf8)

  private static let samples: [Sample<BagProblem>] = [
    Sample(.byteOrderMark), Sample(.malformedDeclaration), Sample(.unknownVersion(Array("2.0".utf8)), "'2.0'"),
    Sample(.unsupportedEncoding(Array("UTF-16".utf8)), "'UTF-16'"), Sample(.notUTF8, "UTF-8"),
    Sample(.bareCarriageReturn), Sample(.invalidName(name, .leavesDirectory), "data/a\\x0ab", "'..'"),
    Sample(.homeDirectory(Array("~/x".utf8)), "'~/x'"), Sample(.outsidePayload(Array("x".utf8)), "'x'"),
    Sample(.insidePayload(name), "data/a\\x0ab"), Sample(.notManifestLine),
    Sample(.repeatedName(name, line: 7), "data/a\\x0ab", "7"),
    Sample(.contradictoryDigests(name, line: 7), "data/a\\x0ab", "7"),
    Sample(.missingInManifest(name, manifest: manifest), "data/a\\x0ab", "manifest-md5.txt"), Sample(.notFetchLine),
    Sample(.notLength(secret), "…@h/x?…"), Sample(.notInManifest(name), "data/a\\x0ab"),
    Sample(.repeatedURL(name, line: 7), "data/a\\x0ab", "7"),
    Sample(.repeatedAlgorithm(manifest: manifest), "manifest-md5.txt"),
    Sample(.missingWithoutURL(name), "data/a\\x0ab"), Sample(.notTagLine), Sample(.malformedOxum, "BYTES.FILES"),
    Sample(.contradictoryOxum), Sample(.noPayloadManifest), Sample(.noKnownManifest),
  ]

  @Test func `exist for each problem`() {
    #expect(Set(Self.samples.map { Name($0.value) }) == Set(Name.allCases))
  }

  @Test func `tell their facts`() {
    for sample in Self.samples {
      let message = BagMessages.message(sample.value)
      #expect(message.hasPrefix("'") || Wording.isPhrase(message), "\(message)")
      Wording.check("line: " + message, hint: BagMessages.hint(sample.value), facts: sample.facts, "\(sample.value)")
    }
  }
}
