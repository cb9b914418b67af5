package import DownloadCore

extension JSONObject {
  /// The line of a list.
  package init(_ line: SourceLine, hasBlanks: Bool = false) {
    self.init(hasBlanks: hasBlanks)
    add("list", line.list)
    add("line", Int64(line.number))
  }
}
