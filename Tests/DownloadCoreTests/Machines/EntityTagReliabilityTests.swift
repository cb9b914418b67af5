import Testing

@testable import DownloadCore

@Suite struct `Reliability of entity tags` {
  private func head(_ tag: String, length: Int64? = 1000, modified: Int64? = 500) -> ResponseHead {
    var head = ResponseHead(status: 200)
    head.entityTag = EntityTag(parsing: tag.utf8)
    head.contentLength = length
    head.lastModified = modified
    return head
  }

  private func compared(_ heads: [ResponseHead], knownLength: Int64? = 1000, modified: Int64? = 500) -> Bool {
    var tags = EntityTagReliability()
    let known = Representation(
      completeLength: knownLength, validators: Validators(of: head("\"v\"", modified: modified)))
    for head in heads { tags.compared(known, with: Representation(of: head)) }
    return tags.isReliable
  }

  @Test func `two contradictory tags make tags unreliable`() {
    #expect(!compared([head("\"x\""), head("\"y\"")]))
    #expect(compared([head("\"x\""), head("\"x\"")]), "two answers of one new version")
    #expect(compared([head("\"x\""), head("\"v\"")]))
  }

  @Test func `a changed length or time is a new version, and a weak tag is no contradiction`() {
    #expect(compared([head("\"x\"", length: 999), head("\"y\"", length: 999)]))
    #expect(compared([head("\"x\"", modified: 501), head("\"y\"", modified: 502)]))
    #expect(compared([head("W/\"x\""), head("W/\"y\"")]))
  }

  @Test func `without a length the modification time must identify the version`() {
    #expect(!compared([head("\"x\"", length: nil), head("\"y\"", length: nil)]))
    #expect(
      compared(
        [head("\"x\"", length: nil, modified: nil), head("\"y\"", length: nil, modified: nil)], modified: nil))
  }

  @Test func `tags that an earlier run found unreliable stay unreliable`() {
    var tags = EntityTagReliability()
    tags.distrust()
    #expect(!tags.isReliable && tags.contradictionCount == 0)
  }
}
