internal import DownloadCore

extension JSONObject {
  package init(event: String) {
    self.init()
    add("event", event)
  }

  /// Seconds with three decimals.
  package mutating func add(_ key: String, _ value: Duration) {
    let milliseconds = max(0, value.wholeMilliseconds)
    let fraction = String(1000 + milliseconds % 1000).dropFirst()
    add(key, verbatim: Array("\(milliseconds / 1000).\(fraction)".utf8))
  }
}
