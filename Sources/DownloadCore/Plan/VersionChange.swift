/// What shows that an answer is about another version of the file than the known one.
package enum VersionChange: Hashable, Sendable {
  case entityTag
  case lastModified
  case length(Int64, was: Int64)
  case contentCoding
  case digest
  /// None of the known validators is there any more, but others are.
  case validators
}
