/// How an answer breaks HTTP, or does not fit what was asked.
package enum ProtocolViolation: Hashable, Sendable {
  // MARK: Heads

  case missingHead
  /// A head, or a line of one, beyond our limits.
  case oversizedHead
  case malformedHead
  case invalidContentLength
  /// A redirect without a `Location` field.
  case missingLocation

  // MARK: Statuses

  case unconditionalNotModified
  /// A status of success that brings no file.
  case unexpectedStatus(Int)
  /// 200 with a Content-Range that is not all of the content.
  case contentRangeInWhole
  /// 206 to a request without a range.
  case unaskedRange

  // MARK: Ranges

  /// A part of a coded representation.
  case codedRange
  /// 206 without a Content-Range that says where its bytes belong.
  case unusableContentRange
  case otherRange(start: Int64, asked: Int64)
  /// Content-Length and Content-Range differ.
  case contradictoryLengths
  /// A range of a representation of which nothing is known.
  case unknownRepresentation
  case rangeBeyondEnd

  // MARK: Versions

  /// The known strong validator, with a content that differs: nobody can tell which answer is wrong.
  case sameValidator(VersionChange)
  /// Nothing shows the answer to be the wanted file: it has neither ETag nor Last-Modified, as earlier answers had.
  case unidentified

  /// In libcurl's words.
  case libcurl(String)
}
