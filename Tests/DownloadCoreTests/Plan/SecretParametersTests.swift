import DownloadCore
import Testing

@Suite struct `Secret parameters of URLs` {
  private func location(_ query: String?) -> Location {
    Location(scheme: .https, host: "h", port: 443, path: "/token=x", query: query)
  }

  @Test(arguments: [
    "X-Amz-Signature=1", "x-amz-security-token=1", "X-Goog-Credential=1", "Signature=1", "a=b&sig=1", "token=1",
    "access_token=1", "accessToken=1", "private-token=1", "key=1", "api_key=1", "Key-Pair-Id=1", "AWSAccessKeyId=1",
    "a=1;password=1", "%74oken=1", "client_secret=1", "sv=2020&sp=r&sig=a%3D", "hdnea=1", "sessionid=1",
  ])
  func `are known by their names`(query: String) { #expect(location(query).hasSecret) }

  @Test(arguments: [
    nil, "", "a=1", "expires=1", "token", "token=", "=token", "v=token", "design=1", "monkey=1", "page=2&sort=name",
    "filename=signature.txt",
  ])
  func `are not seen in others`(query: String?) { #expect(!location(query).hasSecret) }

  @Test func `are signatures or credentials`() {
    #expect(SecretParameters.kinds(in: "X-Amz-Date=1&page=2") == [.signature])
    #expect(SecretParameters.kinds(in: "api-key=1&sig=2") == [.signature, .credential])
  }
}
