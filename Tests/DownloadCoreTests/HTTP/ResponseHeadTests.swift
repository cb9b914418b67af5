import Testing

@testable import DownloadCore

@Suite struct `Response heads` {
  static let dates: [(Int64?, Int64?, Bool)] = [
    (nil, 1000, false), (1000, nil, false), (1001, 1000, false), (1002, 1000, true), (0, .max, false),
  ]

  @Test(arguments: dates)
  func `Last-Modified is strong two seconds before Date`(date: Int64?, modified: Int64?, isStrong: Bool) {
    var head = ResponseHead(status: 200)
    head.date = date
    head.lastModified = modified
    #expect(head.lastModifiedIsStrong == isStrong)
  }

  @Test func `dates whose difference overflows make nothing strong`() {
    var head = ResponseHead(status: 200)
    head.date = .max
    head.lastModified = .min
    #expect(!head.lastModifiedIsStrong)
  }

  @Test(arguments: HTTPVersion.allCases)
  func `only HTTP/1 bodies end with the connection`(version: HTTPVersion) {
    #expect(ResponseHead(status: 200, version: version).isCloseDelimited == version.isHTTP1)
  }

  @Test func `a length, chunks or a status without a body determine the end`() {
    var head = ResponseHead(status: 200)
    #expect(head.isCloseDelimited)
    head.contentLength = 0
    #expect(!head.isCloseDelimited)
    head.contentLength = nil
    head.isChunked = true
    #expect(!head.isCloseDelimited)
    #expect(!ResponseHead(status: 204).isCloseDelimited)
    #expect(!ResponseHead(status: 304).isCloseDelimited)
  }

  @Test func `Retry-After dates are compared with the server's clock`() {
    var head = ResponseHead(status: 503)
    #expect(head.retryAfter(dateNow: 0) == nil)
    head.retryAfterValue = Array("Sun, 06 Nov 1994 08:49:37 GMT".utf8)
    #expect(head.retryAfter(dateNow: 784_111_767) == .seconds(10))
    head.date = 784_111_747
    #expect(head.retryAfter(dateNow: 0) == .seconds(30))
  }
}
