import DownloadCore
import Testing

@testable import DownloadTransport

@Suite struct `The proxy of a URL` {
  private func proxy(
    _ url: String, _ variables: [String: String], given: String? = nil, noProxy: String? = nil
  ) throws -> String? {
    let location = try URLParser.parse(url.utf8).location
    return ProxyVariables.proxy(for: location, given: given, noProxy: noProxy) { variables[$0] }
  }

  @Test(
    arguments: [
      (["http_proxy": "p:1"], "p:1", nil), (["HTTP_PROXY": "p:1"], nil, nil), (["https_proxy": "p:1"], nil, "p:1"),
      (["HTTPS_PROXY": "p:1"], nil, "p:1"), (["https_proxy": "p:1", "HTTPS_PROXY": "q:1"], nil, "p:1"),
      (["https_proxy": "", "HTTPS_PROXY": "q:1"], nil, "q:1"), (["all_proxy": "p:1"], "p:1", "p:1"),
      (["ALL_PROXY": "p:1"], "p:1", "p:1"), (["all_proxy": "p:1", "ALL_PROXY": "q:1"], "p:1", "p:1"),
      (["http_proxy": "h:1", "all_proxy": "p:1"], "h:1", "p:1"), (["http_proxy": "", "all_proxy": ""], nil, nil),
      (["http_proxy": "p:1", "no_proxy": "example.org"], "", nil), (["no_proxy": "*"], nil, nil),
      (["http_proxy": "p:1", "no_proxy": "example.net"], "p:1", nil),
      (["http_proxy": "p:1", "NO_PROXY": "example.org"], "", nil),
      (["http_proxy": "p:1", "no_proxy": "", "NO_PROXY": "example.org"], "p:1", nil),
    ] as [([String: String], String?, String?)])
  func `is that of the variables`(variables: [String: String], http: String?, https: String?) throws {
    #expect(try proxy("http://example.org/f", variables) == http, "\(variables)")
    #expect(try proxy("https://example.org/f", variables) == https, "\(variables)")
  }

  @Test func `is the one that was given, except for hosts without one`() throws {
    let variables = ["http_proxy": "p:1", "no_proxy": "example.org"]
    #expect(try proxy("http://example.net/f", variables, given: "g:1") == "g:1")
    #expect(try proxy("http://example.org/f", variables, given: "g:1") == "")
    #expect(try proxy("http://example.org/f", variables, given: "g:1", noProxy: "example.net") == "g:1")
    #expect(try proxy("http://example.org/f", variables, given: "") == "")
    #expect(try proxy("http://example.org/f", [:], noProxy: "*") == "")
    #expect(try proxy("http://example.org/f", [:], noProxy: "example.net") == nil)
  }
}
