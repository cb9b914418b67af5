import Testing

@testable import DownloadLists

@Suite struct `A filter of names` {
  private func wants(_ name: String, include: [String] = [], exclude: [String] = []) -> Bool {
    var filter = NameFilter()
    filter.included = include.map { Array($0.utf8) }
    filter.excluded = exclude.map { Array($0.utf8) }
    return filter.wants(Array(name.utf8))
  }

  @Test func `wants everything if it has no patterns`() {
    #expect(NameFilter().isEmpty && wants("dir/a"))
  }

  @Test(arguments: [
    ("*.gz", "a.gz", true), ("*.gz", "dir/a.gz", true), ("*.gz", "a.gz.md5", false), ("?.[gx]z", "a.xz", true),
    ("dir/*.gz", "dir/a.gz", true), ("dir/*.gz", "dir/sub/a.gz", false), ("dir/**", "dir/sub/a.gz", true),
    ("src/*/**", "src/a/b", true), ("src/*/**", "src/a", false), ("src/*/**", "src/a/b/c", true),
    ("src/*/x/**", "src/a/b/x/c", false), ("**/f.c", "f.c", true), ("**/f.c", "a/b/f.c", true),
    ("**/f.c", "a/xf.c", false), ("a/**/b", "a/b", true), ("a/**/b", "a/x/y/b", true), ("a/**/b", "ab", false),
    ("a**b", "ab", true), ("a**b", "a1/x/2b", true), ("a**b", "b/a", false), ("**", "a/b", true), ("**", "a", true),
    ("a/**", "a", false), ("***", "a/b", true), ("a/***/c*d**e", "a/x/cd/e", true), ("**/x/*", "a/b/x/c/d", false),
    ("**/x/*", "a/b/x/c", true), ("**.md5", "a/b.md5", true), ("a", "dir/a", true), ("./a", "a", false),
    ("*", ".hidden", true), ("[", "[", true), ("\\*", "*", true), ("\\*", "a", false), ("ä*", "dir/äb", true),
  ])
  func `compares patterns with names`(pattern: String, name: String, isMatch: Bool) {
    #expect(wants(name, include: [pattern]) == isMatch)
    #expect(wants(name, include: ["nothing", pattern]) == isMatch)
    #expect(wants(name, exclude: [pattern]) == !isMatch)
  }

  @Test func `wants what is included and not excluded`() {
    #expect(wants("a.gz", include: ["*.gz"], exclude: ["b*"]))
    #expect(!wants("b.gz", include: ["*.gz"], exclude: ["b*"]))
  }
}
