import DownloadCore
import TestSupport
import Testing

@testable import DownloadLists

@Suite struct `Names derived from URLs` {
  private func target(_ path: String, port: UInt16 = 443, _ change: (inout NamingOptions) -> Void) -> String {
    var naming = NamingOptions()
    change(&naming)
    let location = Location(scheme: .https, host: "h.example", port: port, path: path, query: "q=1")
    return naming.components(for: location).map { String(decoding: $0, as: UTF8.self) }.joined(separator: "/")
  }

  @Test func `are the last segment alone, unless directories are asked for`() {
    #expect(target("/a/b/c.iso") { _ in } == "c.iso")
    #expect(target("/a/b/c.iso") { $0.cutDirectoryCount = 1 } == "c.iso")
  }

  @Test(arguments: [
    ("/a/b/c.iso", "h.example/a/b/c.iso"), ("/", "h.example/index.html"), ("/a/", "h.example/a/index.html"),
    ("//a///b", "h.example/a/b"), ("/a%20b/c", "h.example/a b/c"), ("/a%2fb/c", "h.example/a_b/c"),
    ("/%2e%2e/%2e/c", "h.example/__/_/c"), ("/~u/c", "h.example/~u/c"),
  ])
  func `have the directories of the URL`(path: String, expected: String) {
    #expect(target(path) { $0.makesDirectories = true } == expected)
  }

  @Test func `have the port if it is not the usual one`() {
    #expect(target("/a/b", port: 8443) { $0.makesDirectories = true } == "h.example:8443/a/b")
  }

  @Test func `leave out the host and the first directories if asked`() {
    func target(host: Bool, cut: Int) -> String {
      self.target("/a/b/c") {
        $0.makesDirectories = true
        $0.makesHostDirectory = host
        $0.cutDirectoryCount = cut
      }
    }
    #expect(target(host: false, cut: 0) == "a/b/c")
    #expect(target(host: true, cut: 1) == "h.example/b/c")
    #expect(target(host: false, cut: 2) == "c")
    #expect(target(host: false, cut: 9) == "c")
  }
}
