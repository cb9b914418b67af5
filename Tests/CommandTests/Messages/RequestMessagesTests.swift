import Testing

@testable import DownloadCore
@testable import DownloadTransport
@testable import DownloadWords

@Suite struct `Words of requests that cannot be made` {
  @Test(arguments: [
    (URLParser.Fault.malformed, "not a valid URL"),
    (.unsupportedScheme("ftp"), "ftp is not supported, only http and https"),
    (.noHost, "a URL without a host"),
    (.invalidInternationalHost, "the host is not a valid international name (IDNA)"),
    (.hostTooLong, "the host is longer than 255 bytes"),
  ])
  func `say what is wrong with a URL`(failure: URLParser.Fault, words: String) {
    #expect(RequestMessages.reason(failure) == words)
  }

  @Test(arguments: TargetNameError.allCases)
  func `say what is wrong with a name`(error: TargetNameError) {
    Wording.check(RequestMessages.reason(error), facts: [], "\(error)")
  }
}
