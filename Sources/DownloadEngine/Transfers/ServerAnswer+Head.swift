internal import DownloadCore

extension ServerAnswer {
  init(_ head: ResponseHead, from location: Location) {
    self.init(status: head.status, location: location, contentCoding: head.contentEncoding)
    contentLength = head.contentLength
    entityTag = head.entityTag
    lastModified = head.lastModified
    hasNextPage = head.links.contains { $0.relation == .next }
  }
}
