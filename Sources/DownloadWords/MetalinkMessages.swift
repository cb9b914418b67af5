internal import DownloadCore

/// What a person reads of an invalid Metalink document, or of an invalid file in one.
enum MetalinkMessages {
  static func message(_ problem: MetalinkProblem) -> String {
    switch problem {
    case .malformedXML(let words): "the document is not well-formed: \(words)"
    case .unfinishedDocument: "the document ends before its last element is closed"
    case .unknownEncoding: "the document's character encoding is not supported"
    case .documentTypeDeclaration: "the document type declaration has declarations of its own, or names others"
    case .markupTooLong: "a tag or comment is longer than 1 MiB"
    case .nestedTooDeeply: "elements are nested too deeply"
    case .notMetalink: "the root element is not that of a Metalink document"
    case .missingAttribute(let name, let element): "the \(element) element has no \(name)"
    case .textTooLong: "a text or an attribute is longer than 64 KiB"
    case .elementInText: "an element is where only text is allowed"
    case .malformedSize(let text): "the size \(Quotation.text(text)) is not a number of bytes"
    case .malformedPieceLength(let text):
      "the length \(Quotation.text(text)) of the pieces is not a number of bytes above 0"
    case .pieceNumbers: "the pieces are not numbered 0, 1, 2 and so on"
    case .pieceCount(let count): "\(count) pieces do not fit the size of the file"
    case .tooManyPieces: "the file has too many pieces"
    case .tooManyURLs: "the file has too many URLs"
    case .onlyOtherMedia(let type): "the file is offered as \(Quotation.text(type)) only"
    case .noUsableURL: "the file has no http or https URL"
    }
  }

  static func hint(_ problem: MetalinkProblem) -> Phrase? {
    switch problem {
    case .unfinishedDocument: "check that the document is complete"
    case .unknownEncoding: "convert it to UTF-8, and write that in its XML declaration"
    case .documentTypeDeclaration: "remove <!DOCTYPE …>; a Metalink document does not need it"
    case .notMetalink: "it is <metalink xmlns=\"urn:ietf:params:xml:ns:metalink\"> in Metalink 4"
    case .pieceCount: "one of the two is wrong; ask the author of the list"
    case .onlyOtherMedia: "torrents are not downloaded"
    case .noUsableURL: "for ftp see \(.urlScheme); for relative URLs \(.baseURL)"
    case .malformedXML, .markupTooLong, .nestedTooDeeply, .missingAttribute, .textTooLong, .elementInText,
      .malformedSize, .malformedPieceLength, .pieceNumbers, .tooManyPieces, .tooManyURLs:
      nil
    }
  }
}
