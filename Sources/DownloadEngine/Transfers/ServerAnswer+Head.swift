internal import DownloadCore

extension ServerAnswer {
  init(_ head: ResponseHead, from location: Location) {
    self.init(status: head.status, location: location, contentCoding: head.contentEncoding)
    contentType = head.contentType
    contentLength = head.contentLength
    entityTag = head.entityTag
    lastModified = head.lastModified
    nextPage = head.links.first { $0.relation == .next }?.reference
  }
}
