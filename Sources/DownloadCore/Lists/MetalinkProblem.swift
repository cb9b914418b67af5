/// Why a Metalink document, or a file in it, cannot be understood.
///
/// Texts are the document's raw bytes and may hold secrets.
package enum MetalinkProblem: Error, Hashable, Sendable {
  /// Not well-formed; in the words of the XML parser.
  case malformedXML(String)
  /// The document ends before its last element is closed.
  case unfinishedDocument
  case unknownEncoding
  /// A document type declaration that declares something, or names a document that does.
  case documentTypeDeclaration
  /// A tag or comment so long that only memory limits it.
  case markupTooLong
  case nestedTooDeeply
  /// The root element is none of Metalink 3 or 4.
  case notMetalink
  case missingAttribute(String, of: String)
  /// The text of an element or attribute.
  case textTooLong
  /// An element stands within a number, digest or URL.
  case elementInText
  case malformedSize([UInt8])
  case malformedPieceLength([UInt8])
  /// Numbers of pieces that are not 0, 1, 2 and so on.
  case pieceNumbers
  /// So many pieces do not fit the file's size.
  case pieceCount(Int)
  case tooManyPieces
  case tooManyURLs
  /// The file is offered by descriptions of this media type only.
  case onlyOtherMedia([UInt8])
  /// The file has no URL that can be used.
  case noUsableURL
}
